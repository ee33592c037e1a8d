"""How ``make docs`` builds these pages: without a network, and without running a notebook."""

import pathlib
import sys

import cc_rapids

HERE = pathlib.Path(__file__).parent

project = "cc_rapids"
author = copyright = "the authors of cc_rapids"
version = release = cc_rapids.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "myst_nb"]
exclude_patterns = ["_build", "examples", "**/.ipynb_checkpoints"]
templates_path = ["_templates"]
html_theme = "furo"
html_title = f"cc_rapids {release}"

nb_execution_mode = "off"  # the notebooks are run by the tests, and stored with their outputs
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
autodoc_typehints = "none"  # numpydoc's sections say more
autosummary_generate = True
add_module_names = False


def setup(app):
    """Pages that are made from the code are written before any page is read."""
    sys.path.insert(0, str(HERE))
    import made_pages

    app.connect("config-inited", lambda *_: made_pages.write(HERE))
