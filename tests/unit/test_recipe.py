"""The recipe for conda: it renders, and asks for what pyproject.toml asks for."""

import re
import tomllib
from pathlib import Path

import pytest

import cc_rapids

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "recipe" / "recipe.yaml"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def rendered():
    """The recipe as conda's builder understands it: unknown fields and wrong types are errors."""
    builder = pytest.importorskip("rattler_build", reason="rattler-build is not installed")
    (variant,) = builder.Stage0Recipe.from_file(RECIPE).render(builder.VariantConfig())
    return variant.recipe.to_dict()


def spaced(requirement):
    """A requirement as conda writes it."""
    return re.sub(r"(?<=\w)(?=[<>=])", " ", requirement)


def test_the_builder_refuses_fields_that_it_does_not_know():
    builder = pytest.importorskip("rattler_build", reason="rattler-build is not installed")
    wrong = RECIPE.read_text(encoding="utf-8").replace("noarch: python", "noarchy: python")
    with pytest.raises(builder.RattlerBuildError):
        builder.Stage0Recipe.from_yaml(wrong)


def test_it_is_this_version_for_any_machine(rendered):
    assert rendered["package"] == {"name": "cc-rapids", "version": cc_rapids.__version__}
    assert rendered["build"]["noarch"] == "python"
    script = PROJECT["scripts"]["cc-rapids"]
    assert rendered["build"]["python"]["entry_points"] == [f"cc-rapids = {script}"]


def test_it_needs_what_the_metadata_names(rendered):
    least = f"python {PROJECT['requires-python']}"
    asked = {least, "__linux", *map(spaced, PROJECT["dependencies"])}
    assert set(rendered["requirements"]["run"]) == asked
    assert rendered["requirements"]["host"][0] == f"{least.replace('>=', '')}.*"


def test_gpu_packages_are_no_older_than_those_of_the_extra(rendered):
    extra = {
        re.sub(r"-cu(da)?\d+x?|\[.*\]", "", one) for one in PROJECT["optional-dependencies"]["cu13"]
    }
    wanted = {spaced(one) for one in extra if not one.startswith("numpy")}
    assert set(rendered["requirements"]["run_constraints"]) == wanted


def test_licence_and_home_are_those_of_the_metadata(rendered):
    about = rendered["about"]
    assert about["license"] == PROJECT["license"]
    assert [*about["license_file"]] == PROJECT["license-files"]
    assert about["summary"] == PROJECT["description"]
    assert about["repository"] == PROJECT["urls"]["Repository"]
