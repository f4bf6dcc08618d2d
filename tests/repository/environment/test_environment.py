# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the files around a job install: read as they are written, inside the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.test_slow import within
from trainlint.repository.environment import environment_of

LAZY_NOT = {
    "torch==1.12.1\n": "requirements.txt:1: torch==1.12.1",
    "numpy\ntorch==1.13.1+cu116\n": "requirements.txt:2: torch==1.13.1+cu116",
    "torch>=1.7,<1.13\n": "requirements.txt:1: torch>=1.7,<1.13",
    "torch>=1.7\n": "",
    "torch==1.13.1\n": "",
    "torch==2.1.0+cu118\n": "",
    "numpy\n": "",
}
REMOVED = "from torchvision.transforms.functional_tensor import rgb_to_grayscale\n"


@pytest.fixture
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    def found(**files: str | bytes) -> dict[str, list]:
        for name, text in {"options/x4.yml": "name: x4\n", **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return environment_of("options/x4.yml").values

    return found


def bounds(found: dict[str, list]):
    return [(one["place"], one["oldest"], one["newest"], one["cuda"]) for one in found.get("torch", ())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("torch==2.5.1+cu121\n", (1, [2, 5], [2, 5], "12.1")),
        ("--extra-index-url https://x/whl/cu118\ntorch>=1.7\n", (2, [1, 7], [], "11.8")),
        ("# torch==1.0\nnumpy\ntorch", (3, [], [], "")),
        ("numpy\r\ntorch==2.5.1\r\n".encode("utf-16"), (2, [2, 5], [2, 5], "")),
    ],
)
def test_requirements(around, text: str | bytes, expected: tuple) -> None:
    line, *rest = expected
    assert bounds(around(**{"requirements.txt": text})) == [(f"requirements.txt:{line}", *rest)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("environment.yml", "- pytorch=1.12\n- pytorch-cuda=11.6\n", ([1, 12], [1, 12], "11.6")),
        ("pyproject.toml", 'dependencies = ["torch>=2.1,<2.3"]\n', ([2, 1], [2, 2], "")),
        ("pyproject.toml", 'torch = "^2.5"\n', ([2, 5], [2, 999], "")),
        ("setup.py", "setup(install_requires=['torch<2'])\n", ([], [1, 999], "")),
        ("Dockerfile", "FROM pytorch/pytorch:2.1.0-cuda12.1-cudnn8\n", ([2, 1], [2, 1], "12.1")),
        ("Dockerfile", "RUN pip install torch==2.0.1\n", ([2, 0], [2, 0], "")),
    ],
)
def test_what_each_kind_of_file_asks_for(around, name: str, text: str, expected: tuple) -> None:
    assert bounds(around(**{name: text})) == [(f"{name}:1", *expected)]


@pytest.mark.parametrize(
    "text",
    [
        "pytorch-lightning==1.9\ntorchsummary==1.5\n",
        'torch==1.0; sys_platform == "win32"\n',
        "./torch==1.0\n",
        "torchv\u0131s\u0131on==0.9\nba\u017ficsr==1.3\n",
    ],
)
def test_what_is_no_requirement_of_torch(around, text: str) -> None:
    assert bounds(around(**{"requirements.txt": text})) == []


def test_included_files_are_read_and_cycles_end(around) -> None:
    including = "-r req/base.txt\n-r requirements.txt\n-r ../outside.txt\n"
    found = around(**{"requirements.txt": including, "req/base.txt": "torch==2.0.1\n"})
    assert {place for place, *_ in bounds(found)} == {"req/base.txt:1"}


def test_the_nearest_folder_with_such_a_file_is_asked(around) -> None:
    files = {"requirements.txt": "torch==2.0.1\n", "options/requirements.txt": "torch==2.7.0\n"}
    assert [place for place, *_ in bounds(around(**files))] == ["options/requirements.txt:1"]


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("basicsr==1.4.2\n", True),
        ("basicsr>=1.3\ntorchvision\ntorch>=1.7\n", True),
        ("basicsr\ntorchvision<0.17\n", False),
        ("basicsr\ntorch==1.13.1\n", False),
        ("basicsr\ntorchvision @ file:///build/torchvision\n", False),
        ("torchvision\n", False),
    ],
)
def test_a_basicsr_whose_torchvision_may_be_too_new(around, text: str, broken) -> None:
    assert ("functional_tensor" in around(**{"requirements.txt": text})) is broken


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        (REMOVED, True),
        (f"try:\n    {REMOVED}except ImportError:\n    pass\n", False),
        (REMOVED.replace("functional_tensor", "functional"), False),
    ],
)
def test_the_checkouts_own_basicsr_is_looked_at(around, text: str, broken) -> None:
    found = around(**{"basicsr/data/degradations.py": text, "requirements.txt": "torchvision\n"})
    assert ("functional_tensor" in found) is broken


def test_a_package_that_is_called_basicsr_is_no_requirement_of_it(around) -> None:
    setup = "setup(name='basicsr', install_requires=['torch'])\n"
    assert "functional_tensor" not in around(**{"setup.py": setup, "basicsr/train.py": ""})


def test_a_file_that_is_not_there_has_no_environment() -> None:
    assert environment_of("nowhere/x4.yml").values == {}


@pytest.mark.parametrize(("text", "expected"), LAZY_NOT.items())
def test_a_torch_that_loads_every_kernel_at_the_start_is_named(around, text: str, expected: str) -> None:
    around(**{"requirements.txt": text})
    assert environment_of("options/x4.yml").eager_torch == expected


def test_one_file_that_lets_a_later_torch_in_leaves_it_open(around) -> None:
    around(**{"requirements.txt": "torch==1.9.0\n", "setup.py": "setup(install_requires=['torch>=1.7'])\n"})
    assert environment_of("options/x4.yml").eager_torch == ""


def test_a_bare_name_says_nothing_where_another_line_has_a_version(around) -> None:
    """As BasicSR's setup.py, which wants torch to build with, next to a requirements file that pins it."""
    setup = "setup(setup_requires=['cython', 'torch'])\n"
    around(**{"requirements.txt": "torch==2.5.1\n", "setup.py": setup})
    (pinned,) = environment_of("options/x4.yml").values["torch"]
    assert pinned["text"] == "torch==2.5.1"
    around(**{"requirements.txt": "", "setup.py": setup})
    (bare,) = environment_of("options/x4.yml").values["torch"]
    assert bare["newest"] == []


UV = '[[package]]\nname = "torch"\nversion = "2.5.1+cu124"\nsource = { registry = "https://x" }\n'
PIPENV = (
    '{"default": {"torch": {"hashes": [], "version": "==2.5.1"}}, "develop": {"numpy": {"version": "==1.0"}}}'
)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("uv.lock", UV, ("uv.lock:2", [2, 5], [2, 5], "12.4")),
        ("poetry.lock", UV.replace("+cu124", ""), ("poetry.lock:2", [2, 5], [2, 5], "")),
        ("pdm.lock", UV.replace("\n", "\r\n"), ("pdm.lock:2", [2, 5], [2, 5], "12.4")),
        ("Pipfile.lock", PIPENV, ("Pipfile.lock:1", [2, 5], [2, 5], "")),
    ],
)
def test_a_lock_file_settles_the_version(around, name: str, text: str, expected: tuple) -> None:
    assert bounds(around(**{name: text})) == [expected]


@pytest.mark.parametrize(
    "text", ["", "[", "[]", '{"default": [1]}', '{"default": {"torch": {"version": 2}}}']
)
def test_a_broken_lock_file_says_nothing(around, text: str) -> None:
    assert around(**{"Pipfile.lock": text, "uv.lock": text}) == {}


def test_a_lock_file_is_read_with_what_asks_for_more(around) -> None:
    found = around(**{"pyproject.toml": 'dependencies = ["torch>=2.1"]\n', "uv.lock": UV})
    assert [place for place, *_ in bounds(found)] == ["pyproject.toml:1", "uv.lock:2"]


def test_pip_lines_of_scripts_that_set_up(around) -> None:
    script = "# torch==1.0\necho torch==1.1\npip install numpy torch==2.5.1\n"
    assert bounds(around(**{"install.sh": script})) == [("install.sh:3", [2, 5], [2, 5], "")]


def test_a_script_that_installs_nothing_does_not_end_the_search(around) -> None:
    files = {"requirements.txt": "torch==2.0.1\n", "options/install.sh": "echo torch==1.0\n"}
    assert [place for place, *_ in bounds(around(**files))] == ["requirements.txt:1"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", f"torch{' ' * 250_000}x\n"),
        ("requirements.txt", f"torch=={'9' * 200_000}\n"),
        ("requirements.txt", f"torch==1.{'9' * 5_000}\n"),
        ("requirements.txt", "torch\n" * 43_000),
        ("requirements.txt", f"-r {'a/' * 130_000}\n"),
        ("requirements.txt", "".join(f"-r {at}.txt\n" for at in range(20_000))),
        ("uv.lock", 'name = "torch"\nversion = "1"\n' * 280_000),
        ("pyproject.toml", f'torch = "^{"9" * 90}"\n'),
    ],
    ids=["blanks", "digits", "minor digits", "packages", "long include", "includes", "locked", "caret"],
)
def test_files_that_nobody_installs_from_end_and_bind_nothing(around, name: str, text: str) -> None:
    with within(5):
        found = around(**{name: text})
    assert all(not one["oldest"] and not one["newest"] for one in found.get("torch", []))


def test_the_repository_of_the_trainer_counts_where_it_lies_elsewhere(around, tmp_path) -> None:
    around(
        **{"requirements.txt": "torch>=1.7\n", "tools/B/requirements.txt": "torch==2.5.1+cu121\nnumpy<2\n"}
    )
    repository = tmp_path / "tools/B"
    found = environment_of("options/x4.yml", repository).values
    assert [one["place"].rpartition("/")[0] for one in found["torch"]] == ["tools/B", ""]
    assert len(found["numpy"]) == 1
    assert environment_of("options/x4.yml", tmp_path).values == environment_of("options/x4.yml").values


def test_its_own_basicsr_is_the_one_imported(around, tmp_path) -> None:
    files = {"requirements.txt": "torchvision==0.17.0\n", "basicsr/version.py": ""}
    around(**files, **{"tools/B/basicsr/data/degradations.py": REMOVED})
    assert "functional_tensor" not in environment_of("options/x4.yml").values
    found = environment_of("options/x4.yml", tmp_path / "tools/B").values
    assert found["functional_tensor"].startswith("tools/B/basicsr/data/degradations.py")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("environment.yml", "name: basicsr\ndependencies:\n  - python=3.10\n"),
        (
            "setup.py",
            "setup(\n    name='basicsr',\n    packages=['basicsr'],\n    install_requires=['lmdb'])\n",
        ),
        ("setup.py", "setup(name = \"basicsr\", package_data={\n  'basicsr': ['x']})\n"),
        ("setup.cfg", "[metadata]\nname = basicsr\n[isort]\nknown_third_party = PIL,basicsr,torch\n"),
        ("pyproject.toml", '[project]\nname = "basicsr"\nkeywords = [\n  "basicsr",\n]\n'),
        ("pyproject.toml", '[tool.ruff.lint.isort]\nknown-third-party = ["basicsr"]\n'),
        ("pyproject.toml", '[tool.poetry]\nname = "basicsr"\npackages = [{ include = "basicsr" }]\n'),
        ("Dockerfile", "FROM python:3.11\nCOPY src basicsr\nWORKDIR basicsr\n"),
    ],
)
def test_a_projects_own_name_is_no_package_that_it_installs(around, name: str, text: str) -> None:
    assert "basicsr" not in around(**{name: text})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.py", "setup(name='sr',\n packages=['sr'], install_requires=['lmdb', 'basicsr'])\n"),
        ("setup.cfg", "[metadata]\nname = sr\n[options]\ninstall_requires =\n    lmdb\n    basicsr\n"),
        ("pyproject.toml", '[project]\nname = "sr"\ndependencies = [\n  "lmdb", "basicsr"\n]\n'),
        ("pyproject.toml", '[tool.isort]\nx = 1\n[dependency-groups]\nsr = ["basicsr"]\n'),
        ("environment.yml", "name: sr\ndependencies:\n  - pip:\n    - basicsr\n"),
    ],
)
def test_what_a_project_installs_is_found_next_to_its_name(around, name: str, text: str) -> None:
    (one,) = around(**{name: text})["basicsr"]
    line = text[: text.rindex("basicsr")].count("\n") + 1
    assert one["place"] == f"{name}:{line}"


def test_a_package_folder_with_models_is_the_basicsr_that_is_imported(around) -> None:
    files = {"basicsr/models/__init__.py": "", "requirements.txt": "basicsr\n"}
    assert "functional_tensor" not in around(**files)


@pytest.mark.parametrize(
    ("line", "text", "newest"),
    [
        (
            "torch @ https://host/whl/cu118/torch-2.0.1%2Bcu118-cp310-cp310-linux_x86_64.whl",
            "torch==2.0.1+cu118",
            [2, 0],
        ),
        (
            "torch @ file:///build/pytorch_1682953417311/work",
            "torch @ file:///build/pytorch_1682953417311/work",
            [],
        ),
    ],
)
def test_a_build_at_an_address_is_asked_for(around, line: str, text: str, newest: list) -> None:
    asked = around(**{"requirements.txt": f"{line}\n"})["torch"][0]
    assert (asked["text"], asked["newest"]) == (text, newest)


@pytest.mark.parametrize(
    ("line", "stated"),
    [
        ("pytorch 1.11.0", [1, 11]),
        ("- PyTorch == 1.13.0", [1, 13]),
        ("- PyTorch 2.0.1 + cu117", [2, 0]),
        ("* [PyTorch 1.8.1](https://pytorch.org) (CUDA 11.1)", [1, 8]),
        ("- [PyTorch >= 1.7](https://pytorch.org/)", None),
        ("PyTorch 2.1 or later is required", None),
        ("- pytorch 1.x", None),
        ("- Pytorch `pip install torch==2.0.1 torchvision==0.15.2 --index-url https://host`", [2, 0]),
        ("conda install pytorch=1.8 torchvision cudatoolkit=10.2 -c pytorch", [1, 8]),
        ("conda env create -f mine.yaml", [1, 7]),
    ],
)
def test_a_readme_states_the_torch_that_the_code_was_written_with(around, line: str, stated) -> None:
    assert (
        around(
            **{
                "README.md": f"# Mine\n\n{line}\n",
                "requirements.txt": "numpy\n",
                "mine.yaml": "dependencies:\n  - pytorch=1.7.1=py3.6_cuda10.1\n",
            }
        ).get("stated_torch")
        == stated
    )


def test_an_install_page_states_it_too(around) -> None:
    page = "conda install pytorch=1.8 torchvision\n"
    assert around(**{"INSTALL.md": page, "setup.cfg": "[flake8]\n"})["stated_torch"] == [1, 8]


def test_a_readme_may_state_a_torch_whose_torchvision_has_the_module(around) -> None:
    own = {"basicsr/data/degradations.py": REMOVED, "requirements.txt": "torchvision\n"}
    assert "functional_tensor" in around(**own, **{"README.md": "pip install torch==2.2.0\n"})
    assert "functional_tensor" not in around(**own, **{"README.md": "pip install torch==2.0.1\n"})


def test_what_a_setup_installs_for_those_who_ask_is_no_requirement(around) -> None:
    text = (
        'extras = {\n    "npu": ["torch==2.1.0", "decorator"],\n}\nsetup(install_requires=["torch>=2.3"])\n'
    )
    assert bounds(around(**{"setup.py": text})) == [("setup.py:4", [2, 3], [], "")]
