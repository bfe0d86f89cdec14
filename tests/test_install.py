"""environment.yml: its pip section builds a working environment from nothing. (conda itself is not run here.)"""

import pathlib
import re
import subprocess
import sys
import tomllib
import venv
from importlib import metadata

import pytest
from packaging.specifiers import SpecifierSet

ROOT = pathlib.Path(__file__).parents[1]


def pip_section():
    """The arguments for pip in environment.yml, one list a line."""
    text = (ROOT / "environment.yml").read_text()
    return [line.strip(" -").split(" ") for line in text.split("- pip:\n")[1].splitlines() if line.strip()]


def dashed(arguments):
    return [("-" + first, *rest) for first, *rest in arguments]


def test_environment_asks_for_the_pinned_lab():
    assert dashed(pip_section()) == [("-c", "constraints.txt"), ("-e", ".[lab]")]


def normal(name):
    return name.lower().replace("_", "-")


def pins(file):
    """The names that a file of constraints pins, with their versions."""
    lines = (line.split("==") for line in (ROOT / file).read_text().splitlines())
    return {normal(name): version for name, version in lines}


def wanted():
    """What pyproject.toml asks for, name -> the lower bound."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    lines = project["dependencies"] + [line for lines in extras for line in lines if not line.startswith("dpbook")]
    assert not [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+>=[0-9.]+", line)]
    return {normal(name): bound for name, bound in (line.split(">=") for line in lines)}


@pytest.mark.parametrize("file", ["constraints.txt", "constraints-oldest.txt"])
def test_constraints_are_names_and_versions_only(file):
    lines = (ROOT / file).read_text().splitlines()
    assert len(lines) > 50
    assert not [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", line)]


def test_every_dependency_is_pinned():
    assert set(wanted()) <= set(pins("constraints.txt"))


def test_the_pins_allow_the_oldest_python():
    """Debian 12 has 3.11.2: what is installed here as it is pinned must say that it runs there."""
    pinned = pins("constraints.txt")
    here = [one for one in metadata.distributions() if pinned.get(normal(one.name)) == one.version]
    unfit = [f"{one.name} {one.version}" for one in here if not runs_on(one.metadata.get("Requires-Python"), "3.11.2")]
    assert here and not unfit
    assert not runs_on(">=3.11.5", "3.11.2"), "as soupsieve 4 says"


def runs_on(asked, python):
    return SpecifierSet(asked or "").contains(python)


def test_the_oldest_are_the_lower_bounds():
    """`make test CONSTRAINTS=oldest` tests what pyproject.toml allows; 1.7 and 1.7.0 are the same version."""
    oldest = pins("constraints-oldest.txt")
    assert {name: oldest.get(name) for name in wanted()} == {
        name: bound if oldest.get(name) == bound else f"{bound}.0" for name, bound in wanted().items()
    }


@pytest.mark.thorough
@pytest.mark.install
def test_pip_section_installs_a_working_lab(tmp_path):
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    arguments = [part for pair in dashed(pip_section()) for part in pair]
    quickly = ["--quiet", "--disable-pip-version-check", "--no-compile"]  # most of it will never be imported
    subprocess.run([python, "-m", "pip", "install", *quickly, *arguments], cwd=ROOT, check=True)
    subprocess.run([python, "-m", "pip", "check"], check=True)
    script = "import dpbook.live, dpbook.data, jupyterlab; print(len(dpbook.data.health_insurance()['mdvis'].values))"
    done = subprocess.run([python, "-c", script], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "20190"
