# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A file that every run imports and that is no Python stops every run."""

from __future__ import annotations

import pytest

from trainlint.api import check
from trainlint.repository.imports import imported_files
from trainlint.repository.imports.imported_files import first_broken
from trainlint.repository.trainer.mentioned_words import words_of
from trainlint.repository.trainer.python_texts import texts_of

BROKEN = "def run_sft():\n    if trains:\n\n    return 1\n"
OF_LLAMA_FACTORY = {
    ".git/HEAD": "",
    "src/llamafactory/__init__.py": "",
    "src/llamafactory/hparams/parser.py": "class ModelArguments:\n    model_name_or_path: str\n",
    "src/llamafactory/train/__init__.py": "",
    "src/llamafactory/train/tuner.py": "from .sft import run\n\ndef own():\n    from .ppo import run_ppo\n",
    "src/llamafactory/train/sft/__init__.py": "from .workflow import run\n",
    "src/llamafactory/train/sft/workflow.py": "import torch\n",
    "src/llamafactory/train/ppo/__init__.py": BROKEN,
}
SFT = """\
model_name_or_path: Qwen/Qwen2.5-7B
stage: sft
do_train: true
finetuning_type: lora
dataset: own
template: qwen
output_dir: out
"""
SCANS = """
arch_filenames = [v for v in scandir(folder) if v.endswith('_arch.py')]
for name in arch_filenames:
    importlib.import_module(name)
"""
OF_BASICSR = {
    ".git/HEAD": "",
    "basicsr/__init__.py": "",
    "basicsr/utils/options.py": "def parse_options():\n    pass\n",
    "basicsr/models/__init__.py": "from basicsr.archs import build_network\n",
    "basicsr/archs/__init__.py": SCANS,
    "basicsr/archs/own_arch.py": "x = 1\n",
    "basicsr/archs/notes.py": BROKEN,
}


@pytest.fixture
def broken(tmp_path):
    def first(files, entry, more=()):
        for name, text in {**files, **dict(more)}.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        first_broken.cache_clear()
        texts_of.cache_clear()
        words_of.cache_clear()
        return first_broken(tmp_path, entry)

    return first


def test_imports_are_followed_from_the_top_of_files(broken):
    entry = "src/llamafactory/train/tuner.py"
    assert broken(OF_LLAMA_FACTORY, entry) is None  # ppo is imported by a function
    file = "src/llamafactory/train/sft/workflow.py"
    seen = broken(OF_LLAMA_FACTORY, entry, {file: BROKEN})
    assert (seen.path, seen.line, seen.sure) == (file, 4, True)


def test_what_a_package_scans_is_imported(broken):
    entry = "basicsr/models/__init__.py"
    assert broken(OF_BASICSR, entry) is None  # notes.py is no _arch.py
    seen = broken(OF_BASICSR, entry, {"basicsr/archs/own_arch.py": "x = (1,\n"})
    assert (seen.path, seen.line, seen.sure) == ("basicsr/archs/own_arch.py", 1, True)


@pytest.mark.parametrize("more", [{}, {"src/llamafactory/train/sft/workflow.py": BROKEN}])
def test_a_config_fails_where_its_run_imports_no_python(broken, tmp_path, monkeypatch, more):
    broken({**OF_LLAMA_FACTORY, "examples/sft.yaml": SFT}, "none.py", more)
    monkeypatch.chdir(tmp_path)
    report = check("examples/sft.yaml", "t4", trace=False)
    said = [finding for result in report.results for finding in result.findings]
    said = [finding for finding in said if finding.rule == "unreadable-source"]
    assert {str(finding.level) for finding in said} == ({"fail"} if more else set())
    assert all(
        "workflow.py:4, which src/llamafactory/train/tuner.py imports" in item.message for item in said
    )


@pytest.mark.parametrize("bound", ["MOST_BYTES", "FILE_BYTES"])
def test_too_much_to_parse_is_no_evidence(broken, monkeypatch, bound):
    entry, file = "src/llamafactory/train/tuner.py", "src/llamafactory/train/sft/workflow.py"
    assert broken(OF_LLAMA_FACTORY, entry, {file: BROKEN}) is not None
    monkeypatch.setattr(imported_files, bound, 40)
    assert broken(OF_LLAMA_FACTORY, entry, {file: BROKEN}) is None


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("from basicsr.nets import build", "basicsr.nets"),
        ("from ..nets.own import Own", "nets.own"),
        ("import basicsr.archs.more_arch", "basicsr.archs.more_arch"),
        ("from basicsr.archs import build", None),
        ("from basicsr.ext import op", None),  # a library that was compiled
        ("from basicsr.version import number", None),  # setup.py writes it
        ("from basicsr.vendored.own import Own", None),  # a folder whose files are not looked at
        ("from elsewhere.nets import build", None),
        ("from spread.contribs import fix", None),  # what is installed has a part of that package
        ("from basicsr.other import build", None),  # another package of that name has it
        ("try:\n    from basicsr.nets import build\nexcept ImportError:\n    build = None", None),
    ],
)
def test_a_module_that_the_own_package_lacks_stops_every_run(broken, line, missing):
    files = {
        "basicsr/models/own_model.py": f"{line}\n",
        "basicsr/models/__init__.py": SCANS.replace("arch", "model"),
        "basicsr/ext.cpython-311.so": "",
        "basicsr/vendored/README": "",
        "spread/__init__.py": "import pkgutil\n__path__ = pkgutil.extend_path(__path__, __name__)\n",
        "setup.py": "version_file = 'basicsr/version.py'\n",
        "parts/basicsr/other.py": "",
    }
    seen = broken(OF_BASICSR, "basicsr/models/__init__.py", files)
    assert (None if seen is None else (seen.path, seen.line, seen.module)) == (
        missing and ("basicsr/models/own_model.py", 1, missing)
    )


@pytest.mark.parametrize(
    ("script", "said_so"), [("src/train.py", "fail"), ("setup.py", "fail"), ("tools/own/train.py", "warn")]
)
def test_a_config_fails_by_it_unless_another_package_may_be_meant(
    broken, tmp_path, monkeypatch, script, said_so
):
    file = "src/llamafactory/train/sft/workflow.py"
    files = {file: "from ...data import own\n", script: "from llamafactory.train.tuner import run_exp\n"}
    broken({**OF_LLAMA_FACTORY, "examples/sft.yaml": SFT}, "none.py", files)
    monkeypatch.chdir(tmp_path)
    report = check("examples/sft.yaml", "t4", trace=False)
    said = [finding for result in report.results for finding in result.findings]
    found = {(str(one.level), one.message) for one in said if one.rule == "unreadable-source"}
    assert [level for level, _ in found] == [said_so]
    assert all(f"{file}:1 imports data, which this repository does not have" in words for _, words in found)
