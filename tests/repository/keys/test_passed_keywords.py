# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A loop over `**kwargs` that no call passes anything sets nothing."""

from __future__ import annotations

import ast

import pytest

from trainlint.repository.keys.passed_keywords import unpassed_lines

LOOP = "def create(opt, step=0, **more):\n    for k, v in more.items():\n        opt[k] = v\n    return opt\n"
UPDATE = "def create(opt, step=0, **more):\n    opt.update(more)\n    return opt\n"


def lines(defined: str, *callers: str) -> list[int]:
    return sorted(unpassed_lines(ast.parse(defined), [defined, *callers]))


@pytest.mark.parametrize(("defined", "line"), [(LOOP, 3), (UPDATE, 2)])
def test_what_no_call_passes_sets_nothing(defined: str, line: int) -> None:
    callers = (
        "from models import create\nmodel = create(opt)\n",
        "import models\nmodels.create(opt, step=3)\n",
    )
    assert lines(defined) == [line]
    assert lines(defined, *callers) == [line]


@pytest.mark.parametrize(
    "caller",
    [
        "create(opt, lr=1)",
        "create(opt, **opt['more'])",
        "models.create(opt, lr=1)",
        "make = create",
        "from models import create as make",
        "from functools import partial\nmake = partial(create, lr=1)",
        "getattr(models, 'create')(opt, lr=1)",
        "create(opt",
    ],
)
def test_a_call_that_may_pass_one_leaves_it_open(caller: str) -> None:
    assert lines(LOOP, caller) == []


@pytest.mark.parametrize(
    "defined",
    [
        LOOP.replace("    for", "    more['lr'] = 1\n    for"),
        LOOP.replace("    for", "    fill(more)\n    for"),
        LOOP.replace("    for", "    more = read()\n    for"),
        "@cached\n" + LOOP,
        LOOP.replace("**more", "more=()"),
    ],
)
def test_keywords_that_the_function_fills_itself_are_left_open(defined: str) -> None:
    assert lines(defined) == []


def test_keywords_that_are_looked_at_or_handed_on_stay_empty() -> None:
    looks = "    if 'lr' in more or more.get('lr'):\n        return other(**more)\n    for"
    assert lines(LOOP.replace("    for", looks)) == [5]
