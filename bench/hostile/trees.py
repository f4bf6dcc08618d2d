# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Trees in which all that trainlint reads besides configs is hostile, and the commands that read it."""

from __future__ import annotations

import errno
import lzma
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from hypothesis import strategies as st

from bench.hostile.around import BASELINE, ENVIRONMENT, GRID, JPEG, LOG, META, PNG, SOURCE, WANDB, weights
from bench.hostile.case import Case
from bench.hostile.damage import EVIL, damaged
from bench.hostile.texts import EXAMPLES, SETTINGS, Base, own_gpus, own_rule, own_schema, profile_of
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

RUN = "python basicsr/train.py -opt c.yml --force_yml "
SCRIPTS = (
    *(f"{RUN}{key}={value}" for key in ("datasets:train:batch_size_per_gpu", "network_g:type", "name", "$K")
      for value in ("$B", "$1", "$(cat b)", "$((2*8))", "'$B'", '"$@"', "${B:-16}", "16")),
    f"for b in 16 4000; do {RUN}datasets:train:batch_size_per_gpu=$b; done",
    f"run() {{ {RUN}scale=$1; }}\nrun 2",
    f"B=4\nsource conf.env\n{RUN}num_gpu=$B",
    f"CUDA_VISIBLE_DEVICES=$GPU {RUN}num_gpu=2 $EXTRA",
)  # fmt: skip
"""Scripts that start the config with what only the shell knows."""
BATCH = f"{RUN}datasets:train:batch_size_per_gpu="
UNKNOWN = (
    *(f"{BATCH}{value}" for value in ("$B", "$1", "$(cat b)", "$((2*8))", "${B}")),
    f"run() {{ {BATCH}$1; }}\nrun 4000",
    f"B=16\nsource conf.env\n{BATCH}$B",
    f"sed -i s/16/4000/ c.yml\n{RUN}name=x",
    f"bash -c '{BATCH}$B'",
)  # fmt: skip
"""Scripts after which the batch is unknown: no memory of theirs is judged."""
JSON = ("--format", "json")

MODULES = ("json", "re", "yaml", "typing", "torch", "logging", "sitecustomize", "tomllib", "numpy")
OPTIONS = ("--output=o.json", "--python=run.sh", "--ignore=vram-budget", "--fix", "-x", "--")
FAILING = ".fails"
"""A file that holds an error number and the name of a file, of which every read ends with that error."""
RAN_MARKER = "ran"
"""What code of the tree would write."""

COMMANDS_WITHOUT_FILES = (
    ("rules",),
    ("rule", "workers-over-cores"),
    ("targets",),
    ("dialects",),
    ("schema", "trainlint"),
)
"""Commands that read a tree's settings and none of its configs."""

KINDS = (
    *("settings", "ignored", "profile", "rule", "schema", "gpus"),
    *("log", "baseline", "environment", "source", "data", "sweep"),
    *("shell", "modules", "options", "failing"),
)
"""What a tree may hold for trainlint to read, but for configs."""


@st.composite
def hostile_tree(draw: st.DrawFn, bases: Sequence[Base]) -> Case:
    """Draw a tree with a config and things around it that trainlint reads too, and a command."""
    example = (EXAMPLES / draw(st.sampled_from(["msrresnet_x4.yml", "compact_x4.yml"]))).read_bytes()
    example = example.replace(b"datasets/DIV2K/hr_sub", b"gt").replace(b"datasets/DIV2K/lr_x4_sub", b"lq")
    example = example.replace(b"pretrain_network_g: ~", b"pretrain_network_g: w.pth")
    config = draw(st.sampled_from([example, damaged(example, draw, 1), draw(st.sampled_from(bases))[1]]))
    name = draw(st.sampled_from(["c.yml", "c.yml", "x\u202e::error::.yml"]))
    kinds = draw(st.sets(st.sampled_from(KINDS), min_size=1, max_size=3))
    files = {
        name: config,
        **read_by_itself(draw, kinds, example),
        **around(draw, kinds),
        **started(draw, kinds),
    }
    words: tuple[str, ...] = draw(st.sampled_from(COMMANDS + COMMANDS_WITHOUT_FILES))
    if "sweep" in kinds:
        files["s.yml"] = damaged(draw(st.sampled_from([GRID, WANDB])).encode(), draw, 2)
        words = ("sweep", "s.yml", *draw(st.sampled_from([(), ("--format", "json"), ("--format", "csv")])))
        words = (*words, "--no-trace", "-t", "rtx-4090")
    elif words not in COMMANDS_WITHOUT_FILES:
        more = asked(kinds, checks=words[0].startswith("--"))
        as_json: bool = draw(st.booleans())
        words = JSON if as_json and kinds & {"shell", "failing"} else words
        path = name if words[0] in ("fit", "explain") else "."
        target = draw(st.sampled_from(["kaggle-t4x2", "rtx-4090"]))
        words = (*words, path, "--no-trace", "-t", target, *more)
    if "options" in kinds and draw(st.booleans()):
        words = star(files)
    return Case(tuple(files.items()), words)


def star(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the words of `trainlint *`, as a shell in the tree's folder makes them."""
    return tuple(sorted({name.partition("/")[0] for name in files if not name.startswith(".")}))


def asked(kinds: Collection[str], *, checks: bool) -> tuple[str, ...]:
    """Return the options by which a command reads what was drawn."""
    found = ["--log", "t.log"] if "log" in kinds else []
    if checks:
        found += ["--baseline", "b.json"] if "baseline" in kinds else []
        found += ["--data", "."] if "data" in kinds else []
    return tuple(found)


def read_by_itself(draw: st.DrawFn, kinds: Collection[str], example: bytes) -> dict[str, bytes]:
    """Draw what trainlint reads of a tree without being asked."""
    files: dict[str, bytes] = {}
    if "settings" in kinds or {"rule", "schema", "gpus"} & set(kinds):
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
    return files


def around(draw: st.DrawFn, kinds: Collection[str]) -> dict[str, bytes]:
    """Draw what lies around a config: logs, baselines, data, what is installed, a trainer's source."""
    files: dict[str, bytes] = {}
    if "log" in kinds:
        files["t.log"] = damaged(LOG.encode(), draw)
    if "baseline" in kinds:
        files["b.json"] = damaged(BASELINE.encode(), draw)
    if "environment" in kinds:
        name = draw(st.sampled_from(sorted(ENVIRONMENT)))
        files[name] = damaged(ENVIRONMENT[name].encode(), draw)
    if "source" in kinds:
        changed = draw(st.sampled_from(sorted(SOURCE)))
        files |= {name: text.encode() for name, text in SOURCE.items()}
        files[changed] = damaged(files[changed], draw)
    if "data" in kinds:
        files["w.pth"] = damaged(draw(st.sampled_from(weights())), draw)
        for folder in ("gt", "lq"):
            files[f"{folder}/a.png"] = damaged(PNG, draw, 1)
            files[f"{folder}/b.jpg"] = damaged(JPEG, draw, 1)
            files[f"{folder}/meta_info.txt"] = damaged(META.encode(), draw, 1)
    return files


def started(draw: st.DrawFn, kinds: set[str]) -> dict[str, bytes]:
    """Draw a script that starts the config, and files whose names are taken for more than names."""
    files: dict[str, bytes] = {}
    if kinds & {"shell", "failing"}:
        files["basicsr/train.py"] = b""
        whole = draw(st.sampled_from(UNKNOWN)).encode()
        some = damaged(draw(st.sampled_from(SCRIPTS)).encode(), draw, 1)
        files["train.sh"] = draw(st.sampled_from([whole, some]))
    if "modules" in kinds:
        files |= {f"{name}.py": f"open({RAN_MARKER!r}, 'w')".encode() for name in MODULES}
    if "options" in kinds:
        files[draw(st.sampled_from(OPTIONS))] = b"a: 1\n"
    if "failing" in kinds:
        number = draw(st.sampled_from([errno.EIO, errno.EACCES]))
        name = draw(st.sampled_from(["train.sh", "requirements.txt", "basicsr"]))
        files[FAILING] = f"{number} {name}".encode()
    return files


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
