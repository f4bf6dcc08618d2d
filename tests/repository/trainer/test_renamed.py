# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A trainer's package under another name."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.model.trainer import Signs
from trainlint.repository.trainer import identify


def lay(folder: Path, name: str, text: str = "") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


COPIED = Signs(
    markers=("pkg/options.py",), own={"package": "pkg", "step": "model_type", "networks": [], "losses": ""}
)
TRAIN = "from mine.options import parse_options\nfrom mine.models import build_model\n"
MODELS = "def build_model(opt):\n    return KNOWN[opt['model_type']](opt)\n"


@pytest.mark.parametrize("script", ["mine/train.py", "train.py"])
def test_a_copy_of_the_package_under_another_name_is_the_trainer(tmp_path, script):
    (tmp_path / ".git").mkdir()
    config = lay(tmp_path, "options/a.yml")
    marker = lay(tmp_path, "mine/options.py")
    lay(tmp_path, script, TRAIN)
    lay(tmp_path, "mine/models/__init__.py", MODELS)
    lay(tmp_path, "VERSION", "2.0.0\n")
    trainer = identify("toy", COPIED, str(config), "", None)
    assert (trainer.basis, trainer.path, trainer.package) == ("source", str(marker), "mine")
    assert trainer.version is None, "the copy's own number is none of the trainer's"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("mine/train.py", "from other.options import parse_options\n"),
        ("mine/models/__init__.py", "def build_model(opt):\n    return opt['kind']\n"),
    ],
)
def test_a_package_that_only_looks_like_it_is_not(tmp_path, file, text):
    (tmp_path / ".git").mkdir()
    config = lay(tmp_path, "options/a.yml")
    lay(tmp_path, "mine/options.py")
    lay(tmp_path, "mine/train.py", TRAIN)
    lay(tmp_path, "mine/models/__init__.py", MODELS)
    lay(tmp_path, file, text)
    assert identify("toy", COPIED, str(config), "", None).basis == "config"


def test_a_script_of_another_package_does_not_speak_for_it(tmp_path):
    (tmp_path / ".git").mkdir()
    config = lay(tmp_path, "options/a.yml")
    lay(tmp_path, "mine/options.py")
    lay(tmp_path, "tools/train.py", TRAIN)
    lay(tmp_path, "mine/models/__init__.py", MODELS)
    assert identify("toy", COPIED, str(config), "", None).basis == "config"


PIPELINE = "from basicsr.models import build_model\n\n\ndef train_pipeline(root): ...\n"


@pytest.mark.parametrize("module", ["mine/train_pipeline.py", "mine/steps/pipeline.py"])
def test_a_package_whose_script_takes_its_pipeline_from_a_module_builds_on_what_that_imports(
    tmp_path, module
):
    (tmp_path / ".git").mkdir()
    config = lay(tmp_path, "options/a.yml")
    lay(tmp_path, module, PIPELINE)
    name = module.removesuffix(".py").replace("/", ".")
    script = lay(tmp_path, "mine/train.py", f"from {name} import train_pipeline\n\nimport mine.archs\n")
    signs = Signs(own={"package": "basicsr", "step": "model_type", "networks": [], "losses": ""})
    trainer = identify("toy", signs, str(config), "", None)
    assert (trainer.basis, trainer.path, trainer.source) == ("source", str(script), None)
    lay(tmp_path, module, PIPELINE.replace("basicsr", "othersr"))
    assert identify("toy", signs, str(config), "", None).basis == "config"


OWN = {
    "mine/train.py": "from mine.steps.train import train_pipeline\n",
    "mine/steps/train.py": "from mine.steps.model import build_model\n"
    "from mine.steps.option import (\n    dict2str,\n    parse_options,\n)\n\n\ndef train_pipeline(): ...\n",
    "mine/steps/option.py": "def parse_options(root): ...\n",
    "mine/steps/model.py": MODELS,
}


@pytest.mark.parametrize(
    ("file", "text", "basis"),
    [
        ("mine/steps/option.py", OWN["mine/steps/option.py"], "source"),
        ("mine/steps/model.py", MODELS.replace("model_type", "kind"), "config"),
        ("mine/steps/train.py", "from yours.options import parse_options\n", "config"),
    ],
)
def test_a_copy_whose_modules_have_names_of_their_own_is_known_by_its_functions(tmp_path, file, text, basis):
    (tmp_path / ".git").mkdir()
    config = lay(tmp_path, "options/a.yml")
    for name, its_text in (OWN | {file: text}).items():
        lay(tmp_path, name, its_text)
    assert identify("toy", COPIED, str(config), "", None).basis == basis


@pytest.mark.parametrize(
    ("script", "text", "basis"),
    [
        ("mixed_train.py", "from basicsr.models import build_model\nmodel = build_model(opt)\n", "source"),
        ("mixed_train.py", "from basicsr.utils import scandir\n", "config"),
        ("mixed_test.py", "from basicsr.models import build_model\nmodel = build_model(opt)\n", "config"),
    ],
)
def test_a_training_script_may_have_a_name_of_its_own(tmp_path, script, text, basis):
    (tmp_path / ".git").mkdir()
    config = lay(tmp_path, "options/a.yml")
    lay(tmp_path, script, text)
    signs = Signs(own={"package": "basicsr", "step": "model_type", "networks": [], "losses": ""})
    assert identify("toy", signs, str(config), "", None).basis == basis


COPIES = {
    f"{name}/{file}": text
    for name in ("one", "two")
    for file, text in {"core/opts.py": "def parse_options(root): ...\n", "core/model.py": MODELS}.items()
} | {
    f"{name}_train.py": f"from {name}.core.opts import parse_options\n"
    f"from {name}.core.model import build_model\nmodel = build_model(parse_options())\n"
    for name in ("one", "two")
}


@pytest.mark.parametrize(
    ("runs", "copy"), [("", None), ("one_train.py", "one"), ("two_train.py", "two"), ("eval.py", None)]
)
def test_of_several_copies_the_one_that_a_command_starts_reads_a_config(tmp_path, monkeypatch, runs, copy):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    config = lay(tmp_path, "options/a.yml")
    for name, text in COPIES.items():
        lay(tmp_path, name, text)
    script = str(tmp_path / runs) if runs else ""
    assert identify("toy", COPIED, str(config), "", None, runs=script).package == (copy or "")


def test_a_reader_next_to_the_option_files_shows_the_source(tmp_path, monkeypatch):
    files = {
        ".git/HEAD": "",
        "codes/config/deraining/options.py": "def parse(opt_path):\n    return yaml.load(opt_path)\n",
        "codes/config/deraining/options/train/own.yml": "name: own\n",
        "codes/data/own.py": "class LQGT:\n    pass\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    config = "codes/config/deraining/options/train/own.yml"
    signs = Signs(markers=("options/options.py",), sibling="options.py")
    assert identify("own", signs, config, "", None).source is None  # no script trains there
    (tmp_path / "codes/config/deraining/train.py").write_text("import options as option\n")
    trainer = identify("own", signs, config, "", None)
    assert trainer.source is not None
    assert trainer.source.words.defined >= {"LQGT"}  # what the script imports lies further out


@pytest.mark.parametrize("script", ["", "trainer-cli"])
@pytest.mark.parametrize("folder", ["sd-scripts", "other"])
def test_a_trainer_that_a_repository_carries_in_a_folder_of_that_name(tmp_path, folder, script):
    (tmp_path / ".git").mkdir()
    config = lay(tmp_path, "presets/a.json")
    lay(tmp_path, f"{folder}/library/train_util.py", "def f(): ...\n")
    signs = Signs(markers=("library/train_util.py",), vendored=("sd-scripts",))
    found = identify("kohya", signs, str(config), script, None)
    assert found.root == (tmp_path / folder if folder == "sd-scripts" else None)
