# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Uses of keys in a Python text: read, set or asked for, and whether they are come to."""

from __future__ import annotations

import ast

import pytest

from trainlint.repository.keys.key_uses import ANY_KEY, uses
from trainlint.repository.keys.published_uses import published_uses


def of(text: str, key: str = "key") -> list[tuple[bool, bool, bool]]:
    return [(use.reads, use.sets, use.surely) for use in uses(ast.parse(text), (key,))]


READ, SET, ASKED = (True, False, True), (False, True, True), (False, False, True)
READ_BEHIND, SET_BEHIND = (True, False, False), (False, True, False)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("opt['train']['key']", [READ]),
        ("kind = opt.pop('key')", [READ]),
        ("opt.pop('key', None)", [ASKED]),
        ("opt.get('key', 1)", [ASKED]),
        ("'key' in opt", [ASKED]),
        ("opt['key'] = 3", [SET]),
        ("opt.update(key=3)", [SET]),
        ("opt.setdefault('key', 3)", [SET]),
        ("call(key=3)", []),
        ("item['key'] = 3", [ASKED]),
        ("self.opt_train['key'] = 3", [SET]),
        ("dict(key=3)", [ASKED]),
        ("'a key'", []),
        ("if name == 'key' and opt['key'] != 'key': f()", [READ_BEHIND]),
        ("def f(opt):\n    'key'\n    return opt['key']", [READ]),
        ("if debug:\n    opt['key'] = 3", [SET_BEHIND]),
        ("if debug:\n    pass\nelse:\n    opt['key']", [READ_BEHIND]),
        ("a = debug and opt['key']", [READ_BEHIND]),
        ("try:\n    opt['key']\nexcept KeyError:\n    opt['key'] = 3", [READ_BEHIND, SET_BEHIND]),
        ("for name in names:\n    opt['key']", [READ_BEHIND]),
        ("if debug:\n    def f(opt):\n        return opt['key']", [READ]),
        ("with a as b:\n    opt['key']", [READ]),
        ("match kind:\n    case 'key':\n        opt['key']", [ASKED, READ_BEHIND]),
        ("print(opt['key'])", []),
    ],
)
def test_a_use_says_what_is_done(text, found):
    assert of(text) == found


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("opt[name] = value", 1),
        ("train_opt.update(more)", 1),
        ("self.opt['train'].setdefault(name, 1)", 1),
        ("meter.update(loss)", 0),
        ("os.path.join(root, '*')", 0),
    ],
)
def test_options_may_get_any_key(text, number):
    assert len(of(text, ANY_KEY)) == number


@pytest.mark.parametrize(
    ("text", "within"),
    [
        ("opt['train']['key']", "train"),
        ("opt['train'].get('key')", "train"),
        ("for name, part in opt['train'].items():\n    f(name, 'key')", "train"),
        ("train_opt['key']", None),
    ],
)
def test_a_use_says_which_mapping_is_asked(text, within):
    assert [use.within for use in uses(ast.parse(text), ("key",))] == [within]


def test_a_use_is_known_by_its_words_and_what_is_asked_before():
    def digest(text: str) -> str:
        (use,) = uses(ast.parse(text), ("key",))
        return use.digest

    assert digest("a = opt['key']") == digest('a  =  opt["key"]  # a note')
    assert digest("a = opt['key']") != digest("a = opt['key'] * 2")
    assert digest("if a:\n    opt['key']") != digest("if b:\n    opt['key']")


def test_published_trainers_are_known():
    assert {"basicsr", "basicsr-legacy", "kair"} == published_uses().keys()
    assert published_uses()["basicsr"]["total_iter"]
