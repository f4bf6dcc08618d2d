# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A trainer's source as text: bounded, never imported."""

from __future__ import annotations

import re
from time import process_time

import pytest

from tests.sampling import sampled
from trainlint.repository.trainer import mentioned_words as module
from trainlint.repository.trainer import python_texts
from trainlint.repository.trainer.mentioned_words import Words, words_of
from trainlint.repository.trainer.trainer_source import TrainerSource
from trainlint.repository.trainer.unreached_code import MOST_PLACES

CODE = """
def load(opt):
    mode = opt['train']["pad_mode"]
    if mode not in ('reflect', "new_mode"):
        raise ValueError(mode)
    return opt.get('seed'), opt.pop('width')

parser.add_argument('-o', '--out-dir', default='x')
parser.add_argument("--fast", action="store_true")
"""


SECONDS = 3
"""A megabyte takes half a second; a search for each key, or each bracket, took minutes."""


PIECES = ("'a'b'c\"d\"'e\"\n'f\ng'", "opt[ 'a' ] x.pop('b' ) ['c') w.get('d', 3) w.get('e'):")


def lay(tmp_path, **files):
    python_texts.texts_of.cache_clear()
    words_of.cache_clear()
    for name, text in files.items():
        path = tmp_path / f"{name}.py"
        path.write_text(text, "utf-8")
    return TrainerSource(tmp_path, tmp_path / f"{next(iter(files))}.py")


def test_words(tmp_path):
    source = lay(tmp_path, options=CODE)
    assert (source.quotes("new_mode"), source.quotes("newer")) == (True, False)
    assert (source.reads("pad_mode"), source.reads("width"), source.reads("seed")) == (True, True, False)
    assert source.resolves_floats is False
    assert source.flags.keys() == {"-o", "--out-dir", "--fast"}


def test_a_question_is_a_default_where_a_mapping_gives_none(tmp_path):
    code = "if opt['train']['niter']:\n    total = int(opt['train']['niter'])\n"
    assert not lay(tmp_path, options=code).defaults("niter")
    assert lay(tmp_path, options=f"class NoneDict(dict): ...\n{code}").defaults("niter")
    assert not lay(tmp_path, options="NoneDict\nif opt['n'] > 3:\n    pass\n").defaults("n")


def test_words_that_one_file_has(tmp_path):
    source = lay(
        tmp_path,
        options="opt['gpu_ids']\n# os.environ['CUDA_VISIBLE_DEVICES']",
        test="'CUDA_VISIBLE_DEVICES'",
    )
    assert source.together("gpu_ids", "CUDA_VISIBLE_DEVICES") is False
    assert source.together("gpu_ids", "opt") is True


def test_what_does_not_parse_has_no_flags_and_keeps_its_words(tmp_path):
    source = lay(tmp_path, options="def (:\n 'word'")
    assert source.flags == {}
    assert source.quotes("word") is True


def test_too_much_to_read_is_no_evidence(tmp_path, monkeypatch):
    monkeypatch.setattr(python_texts, "LARGEST_FILE", 64)
    assert lay(tmp_path, options="'here'" + " " * 100).quotes("here") is None


@pytest.mark.parametrize("bound", ["MOST_FILES", "MOST_ENTRIES", "MOST_BYTES"])
def test_too_many_files_are_no_evidence(tmp_path, monkeypatch, bound):
    assert lay(tmp_path, options="'here'", other="1").quotes("here") is True
    monkeypatch.setattr(python_texts, bound, 1)
    source = lay(tmp_path, options="'here'", other="1")
    assert (source.quotes("here"), source.has("here"), source.reads("here")) == (None, None, None)


def test_a_word_that_is_too_long_is_none():
    longest = "a" * module.LONGEST_WORD
    assert Words([f"{longest} {longest}b c"]).names == {longest, "c"}


def test_a_pattern_is_searched_for_once():
    words = Words(["a = 1", "b = 2"])
    assert (words.matches(re.compile("b = 2")), words.matches(re.compile("c"))) == (True, False)


def test_too_many_words_are_no_evidence(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_WORDS", 3)
    assert lay(tmp_path, options="a b c").has("d") is False
    assert lay(tmp_path, options="a b c d").has("d") is None


@pytest.mark.parametrize(
    ("text", "few"),
    [
        ("a b_1 a", True),
        ("a b a b", False),
        ("é ü", False),  # four bytes
        ("a…b", False),  # two words and the three bytes between them
        ("'a" * 3, True),
        ("'" * 4, False),
    ],
)
def test_words_are_gathered_late_where_there_are_surely_few(text, few, monkeypatch):
    monkeypatch.setattr(module, "MOST_WORDS", 3)
    assert module.few_words([text]) is few


@pytest.mark.parametrize("text", [CODE, *PIECES])
@pytest.mark.parametrize("word", [*"abcdefé", "b'c", "new_mode", "pad_mode", "seed", "width", "-o"])
def test_what_was_gathered_answers_as_a_search_would(text, word):
    words, name = Words([text]), re.escape(word)
    quoted = rf"""['"]{name}['"]"""
    assert words.quotes(word) is (f"'{word}'" in text or f'"{word}"' in text)
    assert words.has(word) is (re.search(rf"\b{name}\b", text) is not None)
    assert (word in words.read) is bool(re.search(rf"\[\s*{quoted}\s*\]|\.pop\(\s*{quoted}\s*\)", text))
    default = rf"\.get\(\s*{quoted}[^)\n]*\)(?!\s*:|\s+is\b)"
    assert (word in words.defaults) is bool(re.search(default, text))


@pytest.mark.parametrize("word", ["pad_mode", "pad", "opt", "fast"])
def test_one_word_is_found_as_among_all(tmp_path, word):
    source = lay(tmp_path, options=CODE, more="# fast\n'''opt'''\n")
    assert source.finds(word) is source.has(word)
    assert source.finds(word, quoted=True) is source.quotes(word)


def test_a_repository_is_searched_once_for_any_number_of_keys(tmp_path):
    source = lay(
        tmp_path, **{f"m{number}": f"name{number} = 'key{number}'\n" * 20_000 for number in range(8)}
    )
    start = process_time()
    assert [source.quotes(f"no{number}") for number in range(20_000)] == [False] * 20_000
    assert [source.has(f"no{number}") for number in range(20_000)] == [False] * 20_000
    assert process_time() - start < SECONDS


def test_questions_after_odd_words_are_counted(tmp_path):
    source = lay(tmp_path, options="'it\"s'" + f"'{'x' * 100}'")
    assert (source.quotes('it"s'), source.quotes("x" * 100), source.has("it's")) == (True, True, False)
    asked = [source.quotes("y" * 100) for _ in range(module.ODD_QUESTIONS)]
    assert (asked[0], asked[-1]) == (False, None)


@pytest.mark.parametrize("text", sampled(["'", ".get('a'", "'a", "[ ", "a", "a'b\"", ".pop( ' "], 1))
def test_hostile_sources_take_time_that_grows_with_their_length(text):
    start = process_time()
    Words([text * (python_texts.LARGEST_FILE // len(text))]).gather()
    assert process_time() - start < SECONDS


def test_links_and_hidden_folders_are_left_out(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("'secret'", "utf-8")
    inner = tmp_path / "repo"
    (inner / ".venv").mkdir(parents=True)
    (inner / ".venv" / "b.py").write_text("'secret'", "utf-8")
    (inner / "link").symlink_to(outside)
    (inner / "file.py").symlink_to(outside / "a.py")
    assert lay(inner, options="1").quotes("secret") is False


@pytest.mark.parametrize(
    ("code", "key", "taken"),
    [
        ("def parse(opt):\n    opt.setdefault('warm', 1)\n", "warm", True),
        ("@dataclass\nclass Train:\n    warm: int = 1\n", "warm", True),
        ("class Train(BaseModel):\n    start: int = Field(1, alias='warm')\n", "warm", True),
        ("class Train(TypedDict):\n    warm: int\n", "warm", True),
        ("class Train:\n    class Inner(Struct):\n        warm: int = 1\n", "warm", True),
        ("class Net(nn.Module):\n    warm: int = 1\n", "warm", False),
        ("def run(\n    warm: int = 1,\n):\n    pass\n", "warm", False),
        ("@dataclass\nclass Train:\n    warmer: int = 1\n", "warm", False),
    ],
)
def test_keys_that_options_take(tmp_path, code, key, taken):
    assert lay(tmp_path, options=code).takes(key) is taken


@pytest.mark.parametrize(
    ("text", "apart"), [("l1+ssim", True), ("l1+hue", False), ("l1,ssim", False), ("l1", False)]
)
def test_several_names_in_one_text(text, apart):
    code = "for kind in opt['loss'].split('+'):\n    kind == 'l1' or kind == 'ssim'\n"
    assert Words([code]).takes_apart(text) is apart


@pytest.mark.parametrize(("reads", "idle"), [(MOST_PLACES, True), (MOST_PLACES + 1, False)])
def test_a_key_that_is_read_in_many_places_is_not_looked_into(reads, idle):
    text = "if kind == 'other':\n" + "    use(opt['key'])\n" * reads
    assert Words([text]).is_idle("key", {"kind": "sr"}) is idle
