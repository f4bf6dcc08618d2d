# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The model class that a config of KAIR, neosr or traiNNer-redux means, and what a fork changed of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dialects.shipped.dialect_jobs import dialects
from trainlint.dialects.extract.fork_classes import as_published, own_classes
from trainlint.documents.file_format import read
from trainlint.files.text_source import source_of
from trainlint.model.trainer import Trainer
from trainlint.repository.trainer import published_bodies as published
from trainlint.repository.trainer.lineage import line_of
from trainlint.repository.trainer.own_classes import chosen, modeled
from trainlint.repository.trainer.survey_client import ask

STEP = """\
class Base:
    def __init__(self, opt):
        self.opt = opt
class {name}(Base):
    def {begin}(self):
        self.loss = self.opt
    def feed_data(self, data):
        self.lq = data
    def optimize_parameters(self, it):
        self.netG(self.lq).mean().backward()
"""
TRAINERS = {
    "kair": ("models/model_plain.py", "ModelPlain", '{"model": "plain"}', "a.json"),
    "neosr": ("neosr/models/image.py", "image", 'model_type = "image"\n', "a.toml"),
    "trainner-redux": ("traiNNer/models/sr_model.py", "SRModel", "scale: 4\n", "a.yml"),
}


def lay(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text, "utf-8")


@pytest.fixture(params=sorted(TRAINERS))
def trainer(request, tmp_path, monkeypatch):
    """Publish a miniature step of a trainer; returns what reads a config in a fork of it."""
    path, name, config, file = TRAINERS[request.param]
    dialect = next(one for one in dialects() if one.id == request.param)
    text = STEP.format(name=name, begin="init_train")
    lay(tmp_path / "published", path, text)
    survey = ask(tmp_path / "published", (name,), str(dialect.trainer.own["package"]))
    line = line_of(survey, chosen(survey, name, modeled) or "", {})
    parts = {
        part: {key: method["digests"] for key, (_, method) in closure.items()}
        for part, closure in (("training", line.training), ("validation", line.validation))
    }
    book = published.Bodies({}, {f"{dialect.id}.{name}": parts}, {}, {})
    for module in ("training_steps", "own_classes"):
        monkeypatch.setattr(f"trainlint.repository.trainer.{module}.bodies", lambda: book)

    def read_in(fork: str, old: str = "", new: str = "", other: str = ""):
        folder = tmp_path / fork
        lay(folder, path, text.replace(old, new) if old else text)
        if other:
            lay(folder, other, f"class {name}:\n    pass\n")
        document = read(source_of(config.encode(), str(folder / file)))[-1]
        own = own_classes(document, dialect, Trainer(dialect.id, root=folder))
        return own, as_published(document, dialect, own).value == document.value

    return read_in


def test_an_equal_step_is_the_published_one(trainer):
    own, same = trainer("fork")
    assert (own.step.recipe, own.step.why, same) == (own.step.name, None, True)


@pytest.mark.parametrize(
    ("old", "new", "method"),
    [
        (".mean()", ".sum()", "optimize_parameters"),
        ("self.lq = data", "self.lq = data[0]", "feed_data"),
        ("self.opt = opt", "self.teacher = make(opt)", "__init__"),
    ],
)
def test_a_changed_step_is_named(trainer, old, new, method):
    own, _ = trainer("fork", old, new)
    assert own.step.recipe is None
    assert own.step.why.startswith(f"{own.step.name} has its own {method} (")


@pytest.mark.parametrize("trainer", ["kair"], indirect=True)
def test_kair_s_scripts_begin_with_init_train(trainer):
    own, _ = trainer("fork", "self.loss = self.opt", "self.teacher = make(self.opt)")
    assert own.step.why.startswith("ModelPlain has its own init_train (")


def test_a_data_set_of_the_same_name_is_none(trainer):
    own, _ = trainer("fork", other="neosr/data/image_dataset.py")
    assert own.step.recipe == own.step.name
    assert "/data/" not in own.step.where
