# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A command line of paths and a few common options, read without click; any other is click's.

Importing click and making its options takes a tenth of what a small file takes to lint. What is read here
comes out as click reads it (a test holds one to the other), and what click would refuse is left to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

FLAGS: Final = {
    "--no-trace": "no_trace",
    "--no-cache": "no_cache",
    "--strict": "strict",
    "--skip-unknown": "skip_unknown",
}
"""Options without a value -> the name of their parameter."""
TARGET: Final = ("-t", "--target")
FORMATS: Final = ("text", "github", "json")
"""Those of --format that are common in scripts."""

NOTHING: Final = (
    *("trainer", "repo", "seconds_per_iteration", "log", "log_gpu", "session_budget_h", "validation_size"),
    *(
        "sessions",
        "validation_images",
        "dataset_size",
        "launcher",
        "gpu_count",
        "reading",
        "profiles_dir",
        "python",
        "output",
        "fail_on",
    ),
    *("stdin_filename", "data", "baseline", "write_baseline"),
)
"""Parameters that are None unless they are given."""
UNSET: Final = (*FLAGS.values(), "quiet", "debug", "fix", "unsafe_fixes", "verbose", "diff", "watch")
SEVERAL: Final = ("target", "networks", "report", "select", "ignore")


def asked(words: Sequence[str]) -> tuple[tuple[str, ...], dict[str, Any]] | None:
    """Return the paths and options of `check`, as click gives them; None for words that click has to read."""
    options: dict[str, Any] = {
        **dict.fromkeys(NOTHING),
        **dict.fromkeys(UNSET, False),
        **dict.fromkeys(SEVERAL, ()),
        "color": "auto",
        "output_format": "text",
        "jobs": 1,
    }
    paths: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if word in FLAGS:
            options[FLAGS[word]] = True
        elif word in TARGET or word == "--format":
            value = next(waiting, "-")
            if value.startswith("-") or (word == "--format" and value not in FORMATS):
                return None
            if word == "--format":
                options["output_format"] = value
            else:
                options["target"] += (value,)
        elif not word or word.startswith("-"):
            return None
        else:
            paths.append(word)
    return (tuple(paths), options) if paths else None
