# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Our loader: the same tags and values as its own loader's."""

from __future__ import annotations

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from trainlint.read.yaml_loader import Loader

SCALARS = st.text(st.sampled_from("0123456789+-._eExob:~ntrue\u00b2\u0661"), min_size=1, max_size=8)


def tags(text, loader):
    """Return each node's tag and value; the error's words for what is no YAML."""
    try:
        node = yaml.compose(f"a: {text}\n", loader)
    except yaml.YAMLError as error:
        return str(error)
    return [(each.tag, str(each.value)) for pair in node.value for each in pair]


@given(SCALARS)
@example("64")
@example("0")
@example("012")
@example("0.9")
@example("1.")
@example(".5")
@example("+1.5")
@example("-0")
@example("1_000")
@example("1e-4")
@example("1.0e-4")
@example("2026-11-23")
@example("1:30")
@example("'64'")
@example("\u00b2")
def test_a_scalar_has_the_tag_that_pyyaml_gives_it(text):
    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    assert tags(text, Loader) == tags(text, base)


def test_lists_and_mappings_have_the_tags_that_pyyaml_gives_them():
    text = "a: [1, {b: !!float 2, !x c: &d [on, ~]}, *d, '1', !!set {e}, '']\n<<: {f: 1}\ng: |\n  1\nh:\n"

    def all_tags(node):
        if isinstance(node, yaml.ScalarNode):
            return node.tag, node.value
        held = (
            node.value
            if isinstance(node, yaml.SequenceNode)
            else [each for pair in node.value for each in pair]
        )
        return node.tag, [all_tags(each) for each in held]

    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    assert all_tags(yaml.compose(text, Loader)) == all_tags(yaml.compose(text, base))
