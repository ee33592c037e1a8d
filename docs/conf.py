"""How ``make docs`` builds these pages: without a network, and without running a notebook."""

import pathlib
import sys
import tomllib

import cc_rapids

HERE = pathlib.Path(__file__).parent
PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
sys.path.insert(0, str(HERE))

from api_groups import GROUPS  # noqa: E402

project = "cc_rapids"
author = copyright = "the authors of cc_rapids"
version = release = cc_rapids.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_copybutton",
    "sphinx_design",
    "dark_figures",
]
exclude_patterns = ["_build", "examples", "**/.ipynb_checkpoints"]
templates_path = ["_templates"]

smartquotes = False  # of two hyphens, which begin an option, it would make a dash
html_theme = "furo"
html_title = f"cc_rapids {release}"
html_logo = "_static/logo.svg"
html_favicon = html_logo
html_static_path = ["_static"]
html_css_files = ["cc_rapids.css"]
html_theme_options = {
    "footer_icons": [
        {
            "name": name,
            "url": PROJECT["urls"][name],
            "html": name,
            "class": "",
        }
        for name in ("Repository", "Issues")
    ],
}

nb_execution_mode = "off"  # the notebooks are run by the tests, and stored with their outputs
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
autodoc_typehints = "none"  # numpydoc's sections say more
autosummary_generate = True
autosummary_context = {"groups": GROUPS}
add_module_names = False


def setup(app):
    """Pages that are made from the code are written before any page is read."""
    import made_pages

    app.connect("config-inited", lambda *_: made_pages.write(HERE))
