# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a key that no class of arguments has is surely refused by the parser of a fork."""

from __future__ import annotations

import pytest

from trainlint.repository.trainer.argument_classes import takes_other_keys
from trainlint.repository.trainer.mentioned_words import Words

PARSER = """\
from transformers import HfArgumentParser, Seq2SeqTrainingArguments

_TRAIN_ARGS = [ModelArguments, TrainingArguments]


def _parse_args(parser, args=None, allow_extra_keys: bool = False):
    return parser.parse_dict(args, allow_extra_keys=allow_extra_keys)


def _parse_train_args(args=None):
    parser = HfArgumentParser(_TRAIN_ARGS)
    allow_extra_keys = is_env_enabled("ALLOW_EXTRA_ARGS")
    return _parse_args(parser, args, allow_extra_keys=allow_extra_keys)


def get_ray_args(args=None):
    return _parse_args(parser, args, allow_extra_keys=True)
"""
CLASSES = """
class Base:
    own: int = 1


class ModelArguments(Base):
    name: str


class TrainingArguments(Seq2SeqTrainingArguments, Generic[T]):
    more: str
"""


@pytest.mark.parametrize(
    ("old", "new", "takes"),
    [
        ("", "", False),
        ("bool = False", "bool = True", True),
        ('is_env_enabled("ALLOW_EXTRA_ARGS")', "True", True),
        ("allow_extra_keys=allow_extra_keys)\n\n\ndef get", "allow_extra_keys=True)\n\n\ndef get", True),
        ("[ModelArguments,", "[ModelArguments, OwnArguments,", True),
        ("(Base)", "(Elsewhere)", True),
        ("_TRAIN_ARGS)", "_TRAIN_ARGS + [chosen])", True),
        ("(parser, args,", "(parser, known(args),", True),
        ("_TRAIN_ARGS = [", "Own = make_dataclass('Own', fields)\n_TRAIN_ARGS = [", True),
    ],
)
def test_what_may_take_a_key_that_no_class_has(old, new, takes):
    texts = [text.replace(old, new) if old else text for text in (PARSER, CLASSES)]
    assert takes_other_keys(Words(texts, ["hparams/parser.py", "hparams/model_args.py"])) is takes


def test_what_the_code_does_with_a_key_is_searched_for_once(monkeypatch):
    """Each try of a fix asks it again: 0.5 s each time in a repository of 1,700 files."""
    words = Words(["for size in opt['sizes']:\n    pass\n"], ["train.py"])
    assert words.takes_lists("sizes")
    assert not words.takes_lists("size")
    monkeypatch.setattr(type(words), "code", property(lambda self: pytest.fail("searched again")))
    assert words.takes_lists("sizes")
    assert not words.takes_lists("size")
