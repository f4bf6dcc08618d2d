# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Inputs that nobody wrote: damaged configs, and trees whose settings, rules and profiles are hostile."""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fuzz_damage import EVIL, damaged
from fuzz_texts import EXAMPLES, SETTINGS, Base, own_gpus, own_rule, own_schema, own_texts, profile_of
from hypothesis import strategies as st

from trainlint.report.formats import names

PATTERNS = (
    *("*" * 40 + "a", "a*" * 30 + "b", "**/" * 30 + "x", "[" * 50, "!" * 50, "\\", "[a-", "{a,b}", "(a+)+$"),
)
"""What takes a matcher of names long, or breaks it."""

COMMANDS = (
    *(("--format", name) for name in names()),
    *(
        ("--color", "always"),
        ("--fix", "--unsafe-fixes"),
        ("--diff", "--unsafe-fixes"),
        ("--fix",),
        ("fit",),
        ("fit", "--gpus"),
        ("explain",),
        ("trace",),
    ),
)
"""Commands that are run on a tree."""

ALONE = (("rules",), ("rule", "workers-over-cores"), ("targets",), ("dialects",), ("schema", "trainlint"))
"""Commands that read a tree's settings and none of its configs."""

NAMES = ("x.yml", "x.json", "x.toml", "x.sh", "x.md", "x.ipynb", "x", "\u202e\n::error::x.yml")
"""Other names for a file: as another format, or hostile."""

KINDS = ("settings", "ignored", "profile", "rule", "schema", "gpus")
"""What a tree may hold for trainlint to read, but for configs."""


@dataclass(frozen=True)
class Case:
    """A tree of files, and the command's words; without words its one file goes through every format."""

    files: tuple[Base, ...]
    words: tuple[str, ...] = ()

    def encoded(self) -> str:
        """Return the case as JSON."""
        files = {name: base64.b64encode(data).decode() for name, data in self.files}
        return json.dumps({"words": self.words, "files": files}, indent=1)

    @staticmethod
    def decoded(text: str) -> Case:
        """Return the case of its JSON."""
        value = json.loads(text)
        files = tuple((name, base64.b64decode(data)) for name, data in value["files"].items())
        return Case(files, tuple(value["words"]))


@st.composite
def spliced_file(draw: st.DrawFn, bases: Sequence[Base]) -> Case:
    """Draw one damaged file, at times with a piece of another in it, or under another's name."""
    name, data = draw(st.sampled_from(bases))
    if draw(st.integers(0, 9)) == 0:
        _, other = draw(st.sampled_from(bases))
        at, start = draw(st.integers(0, len(data))), draw(st.integers(0, len(other)))
        data = data[:at] + other[start : start + draw(st.sampled_from([20, 200, 2000]))] + data[at:]
    if draw(st.integers(0, 19)) == 0:
        name = draw(
            st.sampled_from(
                ["x.yml", "x.json", "x.toml", "x.sh", "x.md", "x.ipynb", "x", "\u202e\n::error::x.yml"]
            )
        )
    return Case(((name, damaged(data, draw)),))


@st.composite
def hostile_tree(draw: st.DrawFn, bases: Sequence[Base]) -> Case:
    """Draw a tree with a config and things around it that trainlint reads too, and a command."""
    example = (EXAMPLES / draw(st.sampled_from(["msrresnet_x4.yml", "compact_x4.yml"]))).read_bytes()
    config = draw(st.sampled_from([example, damaged(example, draw, 1), draw(st.sampled_from(bases))[1]]))
    files: dict[str, bytes] = {draw(st.sampled_from(["c.yml", "c.yml", "x\u202e::error::.yml"])): config}
    kinds = draw(
        st.sets(
            st.sampled_from(["settings", "ignored", "profile", "rule", "schema", "gpus"]),
            min_size=1,
            max_size=3,
        )
    )
    if "settings" in kinds or kinds & {"rule", "schema", "gpus"}:
        lines = SETTINGS.splitlines(keepends=True)
        kept = "".join(
            line for line in lines[:-2] if draw(st.booleans()) or line.split()[0].rstrip("s") in kinds
        )
        files["trainlint.toml"] = damaged(kept.encode(), draw) if "settings" in kinds else kept.encode()
    if "ignored" in kinds:
        files[".gitignore"] = "\n".join(draw(st.lists(st.sampled_from(PATTERNS + EVIL), max_size=4))).encode()
    if "profile" in kinds and (profile := profile_of(example)) is not None:
        files[f".trainlint/profiles/{profile[0]}"] = other_profile(profile[1], draw)
    if "rule" in kinds:
        files["rules/workers-over-cores.yaml"] = damaged(own_rule(), draw)
    if "schema" in kinds:
        files["schemas/trainlint.json"] = damaged(own_schema(), draw)
    if "gpus" in kinds:
        files["gpus.toml"] = damaged(own_gpus(), draw)
    words = draw(st.sampled_from(COMMANDS + ALONE))
    if words not in ALONE:
        name = next(iter(files)) if words[0] in ("fit", "explain") else "."
        words = (*words, name, "--no-trace", "-t", draw(st.sampled_from(["kaggle-t4x2", "rtx-4090"])))
    return Case(tuple(files.items()), words)


def other_profile(data: bytes, draw: st.DrawFn) -> bytes:
    """Damage a profile's file, or what is packed in it."""
    header, _, body = data.partition(b"\n")
    where = draw(st.integers(0, 2))
    if where == 0:
        return damaged(data, draw)
    if where == 1:
        return damaged(header, draw, 2) + b"\n" + body
    with suppress(lzma.LZMAError):
        body = lzma.compress(damaged(lzma.decompress(body), draw, 2), preset=0)
    return header + b"\n" + body


@st.composite
def cases(draw: st.DrawFn, bases: Sequence[Base], one_tree_in: int = 24) -> Case:
    """Draw a damaged file, or now and then a hostile tree."""
    tree = draw(st.integers(1, one_tree_in)) == 1
    return draw(hostile_tree(own_texts()) if tree else spliced_file(bases))


def kept(folder: Path) -> list[tuple[str, Case]]:
    """Return the cases that a folder keeps, by name."""
    return [(path.stem, Case.decoded(path.read_text("utf-8"))) for path in sorted(folder.glob("*.json"))]
