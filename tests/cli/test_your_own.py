# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""docs/your-own.md as a reader would follow it: its files are written, its commands run."""

from __future__ import annotations

import re
import shutil
import sys

import pytest

from trainlint.shipped.extensions import GROUP
from trainlint.shipped.resource_paths import PACKAGE

from .conftest import Command

pytest.importorskip("torch")

pytestmark = pytest.mark.torch

PAGE = (PACKAGE.parents[1] / "docs" / "your-own.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
COMMANDS = re.findall(r"^```console\n\$ trainlint (.*?)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PLACES = {
    "mine/code/tiny.py": "networks/tiny.py",
    "mine/code/step.py": "recipes/step.py",
    "mine/machines.toml": "gpus.toml",
    "mine/rules/tinysr-lr.yaml": "rules/tinysr-lr.yaml",
    "mine/schemas/tinysr.json": "schemas/tinysr.json",
    "package/trainlint_tinysr/formats/lines.py": "formats/lines.py",
}
"""Where the package has what a project keeps in `mine/`, as the page draws it."""
CONFIG = "train.yml"


@pytest.fixture
def project(trainlint: Command) -> Command:
    for name, text in FILES.items():
        trainlint.write(name, text)
    return trainlint


@pytest.fixture
def installed(trainlint: Command) -> Command:
    """A folder with the config alone, for a trainlint next to which the page's package is installed."""
    trainlint.write(CONFIG, FILES[CONFIG])
    place(trainlint, trainlint.folder / "site")
    return trainlint


def place(trainlint: Command, site):
    """Put the package into a folder as pip does, and the folder where Python looks for packages."""
    for name, inside in PLACES.items():
        file = site / "trainlint_tinysr" / inside
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(FILES[name], encoding="utf-8")
    (site / "trainlint_tinysr" / "__init__.py").touch()
    said = site / "trainlint_tinysr-1.0.dist-info"
    said.mkdir()
    (said / "METADATA").write_text("Metadata-Version: 2.1\nName: trainlint-tinysr\nVersion: 1.0\n")
    (said / "entry_points.txt").write_text(f"[{GROUP}]\ntinysr = trainlint_tinysr\n")
    trainlint.env["PYTHONPATH"] = f"{trainlint.env.get('PYTHONPATH', '')}:{site}"


def judged(text: str) -> str:
    """Leave out the lines that say what is not judged, as the page does: every new rule would change them."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("not judged"))


def test_the_page_has_files_and_commands():
    others = {CONFIG, "trainlint.toml", "package/pyproject.toml", "mine/rules/gan-from-scratch.yaml"}
    assert set(FILES) == {*PLACES, *others}
    assert len(COMMANDS) == 4


@pytest.mark.parametrize(("words", "printed"), COMMANDS, ids=[words for words, _ in COMMANDS])
def test_the_commands_print_what_the_page_says(project, words, printed):
    done = project(*words.split())
    assert done.stderr == ""
    assert judged(done.stdout) == printed


def test_without_permission_no_code_of_the_project_is_run(project):
    project.write("mine/code/tiny.py", "raise SystemExit('run')\n")
    done = project(CONFIG, "--target", "under-my-desk")
    assert "[tinysr-lr]" in done.stdout
    assert 'not judged: unknown training step "tinysr.Charbonnier": give --networks' in done.stdout
    assert "'run'" not in done.stdout + done.stderr


@pytest.mark.slow
def test_a_package_brings_the_same_without_settings_and_flags(installed):
    words, printed = COMMANDS[-1]
    done = installed(*words.replace(" --networks mine/code", "").split())
    assert done.stderr == ""
    assert judged(done.stdout) == printed


def test_each_kind_of_a_package_is_seen(installed):
    assert "tinysr" in installed("dialects").stdout
    assert "tinysr-lr" in installed("rules").stdout
    assert "My Card 8GB" in installed("targets", "my").stdout


@pytest.mark.slow
def test_a_packages_format_is_printed(installed):
    assert installed(CONFIG, "--no-trace", "--format", "lines").stdout == "train.yml: fail\n"
    file = installed.folder / "site" / "trainlint_tinysr" / "formats" / "lines.py"
    own = file.read_text()
    for text, said in (
        ("", "lines.py:1: there is no FORMAT in it"),
        ("\nFORMAT = print\n", "lines.py:2: FORMAT is a builtin_function_or_method, expected"),
        ("\n\nFORMAT = Format(\n", "lines.py:3: not valid Python: '(' was never closed"),
        (
            "import trainlint.nothing\n",
            "lines.py:1: ModuleNotFoundError: No module named 'trainlint.nothing'",
        ),
        (own.replace("report, ", ""), "TypeError: render() takes 1 positional argument but 2 were given"),
        (own.replace("result.path", "result.pth"), "AttributeError: 'Result' object has no attribute 'pth'"),
        (own.replace('"".join', "list"), "TypeError: render returned a list, expected text"),
    ):
        file.write_text(text)
        done = installed(CONFIG, "--no-trace", "--format", "lines")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert said in done.stderr
        assert re.search(r"lines\.py:\d+: ", done.stderr)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            '"tinysr.Charb',
            '"tinsyr.Charb',
            '5: "tinsyr.Charbonnier" is of the dialect "tinsyr", and there',
        ),
        ("RECIPES =", "RECIPE =", '5: trainlint does not read "RECIPE"; did you mean "RECIPES"?'),
    ],
)
def test_a_slip_of_a_packages_recipe_is_named_there_and_not_in_its_dialect(installed, old, new, said):
    file = installed.folder / "site" / "trainlint_tinysr" / "recipes" / "step.py"
    file.write_text(file.read_text().replace(old, new))
    done = installed(CONFIG, "--no-trace")
    assert done.returncode == 2
    assert f"{file}:{said}" in done.stderr


def test_a_format_of_a_name_that_is_taken_is_refused_where_it_is_asked_for(installed):
    file = installed.folder / "site" / "trainlint_tinysr" / "formats" / "lines.py"
    file.with_name("concise.py").write_text(file.read_text())
    done = installed(CONFIG, "--no-trace", "--format", "concise")
    assert done.returncode == 2
    said = f'{file.with_name("concise.py")}:1: "concise" is a format of trainlint already: rename the file'
    assert said in done.stderr
    assert installed(CONFIG, "--no-trace", "--format", "lines").stdout == "train.yml: fail\n"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    return", "    raise SystemExit(0)\n    return", "5: SystemExit: 0"),
        ("from trainlint", "raise SystemExit(0)\nfrom trainlint", "1: SystemExit: 0"),
        ("Format(render)", "Format(render, stream=object)", "4: TypeError: object() takes no arguments"),
    ],
)
def test_a_packages_format_cannot_end_the_run_as_a_clean_one(installed, old, new, said):
    file = installed.folder / "site" / "trainlint_tinysr" / "formats" / "lines.py"
    file.write_text(file.read_text().replace(old, new))
    done = installed(CONFIG, "--no-trace", "--format", "lines")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{file}:{said}" in done.stderr


@pytest.mark.parametrize(
    ("name", "other"), [("rules", "rule"), ("gpus.toml", "gpu.toml"), ("formats", "format")]
)
def test_a_packages_folder_of_almost_the_right_name_is_named(installed, name, other):
    package = installed.folder / "site" / "trainlint_tinysr"
    (package / name).rename(package / other)
    done = installed(CONFIG, "--no-trace")
    assert done.returncode == 2
    assert f'{package / other}: trainlint does not read "{other}"; did you mean "{name}"?' in done.stderr


def test_a_context_of_an_unknown_gpu_is_refused(project):
    written = project.folder / "trainlint.toml"
    written.write_text(written.read_text() + 'context = {"My Card 8GB" = 300}\n')
    done = project(CONFIG, "--no-trace")
    assert done.returncode == 2
    assert "trainlint.toml:4: " in done.stderr
    assert 'there is no such GPU; did you mean "my-card"?' in done.stderr


def test_arguments_of_a_packages_network_are_checked(installed):
    installed.write(CONFIG, FILES[CONFIG].replace("width: 64", "width: -1"))
    done = installed(CONFIG, "--no-trace")
    assert "width must be a positive integer, is -1" in done.stdout


@pytest.mark.slow
def test_an_interpreter_of_ones_own_has_the_package_too(installed):
    """Though it is not installed there: that interpreter hears nothing of our PYTHONPATH."""
    python = installed.write("python", f'#!/bin/sh\nexec env -u PYTHONPATH {sys.executable} "$@"\n')
    python.chmod(0o755)
    words, printed = COMMANDS[-1]
    done = installed(*words.replace("--networks mine/code", "--python ./python").split())
    assert judged(done.stdout) == printed


def test_the_projects_settings_come_after_a_package(installed):
    installed.write("trainlint.toml", 'gpus = "gpus.toml"\n')
    installed.write("gpus.toml", '[gpu.my-card]\nsmi_mib = 6144\nsource = "nvidia-smi"\n')
    assert "5.61 GiB" in installed("targets", "my-card").stdout


def test_a_package_that_is_not_whole_is_named_once(installed):
    shutil.rmtree(installed.folder / "site" / "trainlint_tinysr")
    done = installed(CONFIG, "--no-trace")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert 'tinysr = "trainlint_tinysr"' in done.stderr
    assert 'reinstall or uninstall "trainlint_tinysr"' in done.stderr
    assert "entry_points.txt" in done.stderr


def test_a_slip_in_a_packages_rule_has_file_and_line(installed):
    file = installed.folder / "site" / "trainlint_tinysr" / "rules" / "tinysr-lr.yaml"
    file.write_text(file.read_text().replace("summary:", "summry:"))
    done = installed(CONFIG, "--no-trace")
    assert done.returncode == 2
    assert "tinysr-lr.yaml:3" in done.stderr
    assert '"summry"' in done.stderr


@pytest.mark.parametrize(
    "named", ["trainlint_tinysr", "trainlint-tinysr", "site/trainlint_tinysr", "site/trainlint_tinysr/rules"]
)
def test_the_examples_of_a_packages_rules_run(installed, named):
    done = installed("rules", "--check", named)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1 rule, ")
    assert done.stdout.endswith("0 wrong\n")


def test_the_examples_of_a_package_run_before_it_is_installed(installed):
    del installed.env["PYTHONPATH"]
    assert installed("rules", "--check", "site/trainlint_tinysr").stdout.startswith("1 rule, ")
    done = installed("rules", "--check", "trainlint_tinysr")
    assert done.returncode == 2
    assert 'no rules at "trainlint_tinysr"' in done.stderr


def test_a_project_is_checked_by_the_package_that_it_brings(installed):
    del installed.env["PYTHONPATH"]
    (installed.folder / "site").rename(installed.folder / "src")
    installed.write("pyproject.toml", FILES["package/pyproject.toml"])
    assert installed("rules", "--check", ".").stdout.startswith("1 rule, ")
    network = installed.folder / "src" / "trainlint_tinysr" / "networks" / "tiny.py"
    network.write_text(network.read_text().replace('"TinyNet": "TinyNet"', '"TinyNet": "TinyNte"'))
    done = installed("rules", "--check", ".")
    assert done.returncode == 2
    assert (
        'tiny.py:5: BUILDERS builds "TinyNet" from "TinyNte", which the file does not define' in done.stderr
    )


def test_a_linted_tree_brings_no_package(trainlint):
    """Neither where it is the working folder nor where PYTHONPATH names that, too."""
    trainlint.write(CONFIG, FILES[CONFIG])
    trap = trainlint.folder / "trap"
    place(trainlint, trainlint.folder)
    (trainlint.folder / "trainlint_tinysr" / "__init__.py").write_text(f"open({str(trap)!r}, 'w')\n")
    for command in (("dialects",), ("rules",), ("targets", "my"), (CONFIG,)):
        done = trainlint(*command)
        assert "tinysr:" not in done.stdout
        assert "tinysr-lr" not in done.stdout
        assert "My Card" not in done.stdout
    assert not trap.exists()
