# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a repository runs of a trainer, held against all that was published of it."""

from __future__ import annotations

import pytest

from bench.tables.published_code import REPOSITORIES
from tests.dialects.shipped.dialect_jobs import dialects
from trainlint.dialects import normalise, recognise, trainer_of
from trainlint.documents.file_format import read
from trainlint.files.text_source import source_of
from trainlint.repository.code import published_code
from trainlint.repository.code.code_settings import settings
from trainlint.repository.code.code_units import named, units

SCRIPT = '''
from library import train_util, other_util

LAYERS = ["to_q", "to_k"]
if has_xformers():
    import xformers.ops as ops


def parse_args():
    parser.add_argument("--rank", type=int, default=4, help="The rank (of the adapter).")


@dataclass
class Options:
    rank: int = field(default=8, metadata={"help": "The rank, in numbers (8)."})
    dropout: float = 0.0


def encode(prompt):
    """Encode a prompt."""
    return model(prompt)  # as it is


class Data(Base):
    size = 512

    def __init__(self, folder):
        self.folder = folder

    @cached
    def __len__(self):
        return 3


def main(
    args,
):
    # train
    for batch in data:
        step(batch)


if __name__ == "__main__":
    main(parse_args())
'''
UTIL = "def sizes(args):\n    return args.sizes\n"
RUNS = ("{script}", "library/*.py", "{network_module:networks.lora}.py")


@pytest.fixture
def own_code(tmp_path, monkeypatch):
    known = {
        digest
        for text, stem in ((SCRIPT, "train"), (UTIL, "train_util"))
        for name, _, d, _ in [*units(text), *settings(text, stem)]
        for digest in (d, named(name))
    }
    monkeypatch.setattr(published_code, "published", lambda _: frozenset(known))
    (tmp_path / "library").mkdir()

    def said(script=SCRIPT, config=(), **files):
        published_code.forget()
        for path, text in {"train.py": script, "library/train_util.py": UTIL, **files}.items():
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text(text)
        trainer = ("kohya", "sd-scripts")
        return published_code.own_code(trainer, tmp_path, RUNS, config=dict(config), script="train.py")

    return said


def test_the_units_of_a_text():
    names = [(name, line) for name, line, *_ in units(SCRIPT)]
    assert names == [
        ("Options", 14), ("encode", 19), ("Data", 24), ("Data.__init__", 27), ("Data.__len__", 31),
        ("main", 35),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# train", "# another remark"),
        ("    for batch", "\n\n    for batch"),
        ('"""Encode a prompt."""', '"""Say it otherwise."""'),
        ("default=4", "default = 4"),
        ("(of the adapter)", "(of adapters)"),
        ("numbers (8)", "numbers (9)"),
        ("LAYERS =", "MORE = 3\nLAYERS ="),
        ("    dropout:", "    more: int = 4\n    dropout:"),
        ("    import xformers.ops as ops", "    from xformers import ops"),
        ("LAYERS =", "logging.basicConfig(level=3)\nLAYERS ="),
        ("if __name__", "def never_called():\n    pass\n\n\nif __name__"),
        ("\n", "\r\n"),
    ],
)
def test_what_changes_nothing_that_runs(own_code, old, new):
    assert own_code(SCRIPT.replace(old, new)) is None


@pytest.mark.parametrize(
    ("old", "new", "named_as"),
    [
        ("step(batch)", "step(batch, twice=True)", "main (train.py:35)"),
        ("size = 512", "size = 1024", "Data (train.py:24)"),
        ("(Base)", "(Other)", "Data (train.py:24)"),
        ("    @cached\n", "", "Data.__len__ (train.py:30)"),
        (
            "        return 3\n",
            "        return 3\n\n    def more(self):\n        pass\n",
            "Data.more (train.py:34)",
        ),
        ("model(prompt)", "model(prompt, 2)", "encode (train.py:19)"),
        ("default=4", "default=64", "train --rank (train.py:10)"),
        ("default=8", "default=64", "Options.rank (train.py:15)"),
        ("dropout: float = 0.0", "dropout: float = 0.1", "Options.dropout (train.py:16)"),
        ('"to_k"]', '"to_k", "ff"]', "LAYERS (train.py:4)"),
        ("xformers.ops", "mine.ops", "ops (train.py:6)"),
        ("LAYERS =", "torch.backends.x = 1\nLAYERS =", "torch.backends.x (train.py:4)"),
        ("LAYERS =", "patch_model()\nLAYERS =", "patch_model() (train.py:4)"),
    ],
)
def test_what_is_its_own(own_code, old, new, named_as):
    assert own_code(SCRIPT.replace(old, new)) == (f"its own {named_as} is in no version of sd-scripts")


def test_a_default_that_the_config_does_not_take_is_none_of_it(own_code):
    changed = SCRIPT.replace("default=4", "default=64")
    assert own_code(changed, {"rank": 8}) is None
    assert own_code(changed, {"train-rank": 8}) is not None


def test_of_its_modules_those_that_the_script_imports_count(own_code):
    changed = UTIL.replace("args.sizes", "[512]")
    assert own_code(**{"library/unused_util.py": changed}) is None
    assert "sizes (library/other_util.py:1)" in str(own_code(**{"library/other_util.py": changed}))


def test_imports_that_are_never_closed_hide_no_module(own_code):
    """Each of them was read to the end of the file, which took minutes for one of a megabyte."""
    changed = UTIL.replace("args.sizes", "[512]")
    script = SCRIPT + "from a import (\n" * 60_000
    assert "sizes (library/other_util.py:1)" in str(own_code(script, **{"library/other_util.py": changed}))


def test_a_module_that_a_config_names_counts(own_code):
    own = "import torch\n\n\ndef sizes(args):\n    return 3\n"
    script = SCRIPT.replace("import train_util", "import own, lora, train_util")
    assert own_code(script, {"network_module": "networks.lora"}, **{"networks/own.py": own}) is None
    named_module = {"network_module": "networks.own"}
    assert "networks/own.py:4" in str(own_code(script, named_module))
    other = {"networks/own.py": own.replace("sizes", "another")}
    assert str(own_code(script, named_module, **other)).startswith("its own networks/own.py is in no")


def test_a_script_of_which_nothing_was_published(own_code):
    assert str(own_code("def run():\n    pass\n")).startswith("its own train.py is in no version")
    assert str(own_code("print(1)\n")).startswith("its own train.py is in no version")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("run.sh", "llamafactory-cli train --stage sft --model_name_or_path m --output_dir o\n"),
        (
            "run.yaml",
            "stage: sft\nmodel_name_or_path: m\ntemplate: qwen\noutput_dir: o\ndataset: d\n",
        ),
    ],
)
def test_a_command_runs_all_that_a_config_does(tmp_path, file, text):
    (tmp_path / ".git").mkdir()
    own = (
        "class SFTDataCollatorWith4DAttentionMask:\n    def __call__(self, features):\n        return None\n"
    )
    files = {"hparams/parser.py": "def get_train_args(args): ...\n", "data/collator.py": own}
    for path, code in {
        **{f"src/llamafactory/{path}": code for path, code in files.items()},
        file: text,
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(code)
    (document,) = read(source_of(text.encode(), str(tmp_path / file)))
    dialect = recognise(document, dialects())
    (job,) = normalise(document, dialect, trainer_of(document, dialect, None))
    assert "src/llamafactory/data/collator.py:1" in job.own.altered


def test_the_table_has_the_trainers_that_are_compared():
    assert all(len(published_code.published(dialect)) > 2000 for dialect in REPOSITORIES)
