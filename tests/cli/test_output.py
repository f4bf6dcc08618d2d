# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""There is one way to the terminal and into reports, and it lets nothing through but text."""

from __future__ import annotations

import ast
import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

from trainlint.catalogue.zoo.packages import OWN
from trainlint.cli.console import write_patch
from trainlint.errors import UsageError
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.model.document import Source
from trainlint.report.formats import names
from trainlint.report.style import printable
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings
from trainlint.shipped.resource_paths import PACKAGE

GATE = Path("cli/console.py")
"""The module through which everything is printed or written into a report."""

CHANNELS = {
    Path("trace/trace_worker.py"), Path("trace/on_gpu/measure_step.py"),
    Path("repository/survey/survey_process.py"), Path("repository/survey/installed_package.py"),
    Path("repository/trainer/survey_client.py"),
    Path("cli/workers/worker_channel.py"),
}  # fmt: skip
"""Processes of our own, and those that ask them: over their standard input and output."""

BEFORE = {Path("cli/starting/option_like_files.py"), Path("cli/starting/streams.py")}
"""Modules that end a run with a line of their own words before there is a gate."""
QUIETING = {Path("trace/trace.py"), Path("editor/language_server.py")}
"""Modules that name a logger to silence it."""
EDGES = {Path("cli/entry.py")}
"""What runs before the gate is imported, and after all is printed."""

FILES = {
    GATE, *EDGES, *BEFORE, Path("files/atomic_write.py"), Path("files/replace_text.py"),
    Path("estimate/tapes/stored_profiles.py"), Path("shipped/extensions.py"), Path("shipped/kept_data.py"),
    Path("measuring/package_copy.py"), *CHANNELS,
}  # fmt: skip
"""Modules that write files: reports, fixed configs, profiles, copies, checked data's stamp, compiled code."""

DRY_RUN: dict[Path, set[str]] = {
    Path("dry_run/enclosure/copying.py"): set(),
    Path("dry_run/enclosure/enclosure.py"): set(),
    Path("dry_run/enclosure/enter.py"): {"sys.stderr.write", "sys.stderr.flush"},
    Path("dry_run/enclosure/instructions.py"): set(),
    Path("dry_run/enclosure/namespaces.py"): set(),
    Path("dry_run/enclosure/silent_terminal.py"): {".write"},
    Path("dry_run/rehearsing/injected_package.py"): set(),
    Path("dry_run/rehearsing/made_up_data.py"): set(),
    Path("trace/dry_run/imitation.py"): set(),
    Path("trace/dry_run/opened_files.py"): set(),
    Path("trace/dry_run/outcome.py"): set(),
    Path("trace/dry_run/pulse.py"): {".write_text"},
    Path("trace/dry_run/program_start.py"): {"sys.stdout.flush", "sys.stderr.flush"},
}
"""What a dry run lays out in its private folder, and what runs inside of the program, on its streams."""

FILES |= set(DRY_RUN)

READERS = {Path("files/safe_open.py")}
"""Modules whose fdopen reads a file that was opened to be read."""

PRINTS = {
    *("print", "echo", "secho", "echo_via_pager", "progressbar", "prompt", "confirm", "breakpoint"),
    *("print_exc", "print_exception", "print_stack", "showwarning", "warn", "warn_explicit", "excepthook"),
    *("getLogger", "basicConfig"),
}
"""Calls that print."""

STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}
"""Attributes of sys; `style_for` may look whether one is a terminal, and --output's absence at its number."""

WRITES = {
    *(".write", ".writelines", ".write_text", ".write_bytes", ".fdopen", ".symlink_to"),
    *(".mkstemp", "mkstemp", ".NamedTemporaryFile", "NamedTemporaryFile"),
}
"""Calls that write files or streams; those with a dot are methods."""


SUSPECT = re.compile(
    rf"\\b(?:{'|'.join({*PRINTS, *STREAMS, 'open'} | {word.lstrip('.') for word in WRITES})})\\b"
)
"""A word without which a module does none of this."""


def called(tree: ast.AST) -> set[str]:
    """Name what a module calls, by the last word; methods begin with a dot."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            names |= {f".{function.attr}"} if isinstance(function, ast.Attribute) else set()
            names |= {function.id} if isinstance(function, ast.Name) else set()
    return names


def opened_to_write(tree: ast.AST) -> bool:
    """Tell whether a module opens a file to write."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "open":
            words = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
            flags = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
            modes = [
                word for word in words if isinstance(word, str) and re.fullmatch(r"[rwaxbt+]{1,3}", word)
            ]
            if any(set(mode) & set("wax+") for mode in modes) or flags & {"O_RDWR", "O_CREAT", "O_APPEND"}:
                return True
    return False


def streams(tree: ast.AST) -> list[str]:
    """Return the uses of standard output and error, but for those that cannot print."""
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in STREAMS and isinstance(node.value, ast.Name):
            outer = parents[node]
            words = ast.unparse(outer)
            asking = ("style_for(", "redirect_stdout(sys.stderr")  # what others print goes aside
            looked_at = words.startswith(asking) or words == f"{ast.unparse(node)}.fileno"
            found += [] if looked_at or node.value.id != "sys" else [words]
    return found


@pytest.mark.rest
def test_only_one_module_prints_or_writes_reports() -> None:
    wrong = {}
    own = ((PACKAGE, path) for path in PACKAGE.rglob("*.py"))
    zoo = ((PACKAGE.parent, path) for path in (PACKAGE.parent / OWN).rglob("*.py"))
    for root, path in (*own, *zoo):
        text, name = path.read_text("utf-8"), path.relative_to(root)
        if SUSPECT.search(text) is None:
            continue
        tree = ast.parse(text)
        calls = called(tree)
        found = [] if name == GATE else [*PRINTS & {call.lstrip(".") for call in calls}]
        found += [] if name == GATE or name in CHANNELS | EDGES | BEFORE else streams(tree)
        found = [one for one in found if (name, one) not in {(each, "getLogger") for each in QUIETING}]
        calls -= {".fdopen"} if name in READERS else set()
        if name not in FILES:
            found += [*WRITES & calls, *(["open"] if opened_to_write(tree) else [])]
        found = [one for one in found if one not in DRY_RUN.get(name, ())]
        wrong |= {str(name): found} if found else {}
    assert wrong == {}


def test_every_module_that_is_let_off_is_there() -> None:
    assert {name for name in FILES | READERS if (PACKAGE / name).is_file()} == FILES | READERS


EXAMPLE = (Path(__file__).resolve().parents[2] / "examples" / "msrresnet_x4.yml").read_text("utf-8")

EVIL = "::error::OWNED\r::stop-commands::OWNED\x1b]0;OWNED\x07##[add-mask]OWNED\u202e\u061c\ufeff\U000e0041"
"""A name that no terminal and no CI may see as it is."""


def held(done: subprocess.CompletedProcess[str]) -> str:
    """Check what a command printed, and return it."""
    said = done.stdout + done.stderr
    wrong = [ascii(char) for char in said if char != "\n" and printable(char) != char]
    assert wrong == []
    assert "##[" not in said
    assert not re.search(r"^\s*::(?!(error|warning|notice) file=)", said, re.MULTILINE)
    assert not re.search(r"^\s*OWNED", said, re.MULTILINE)
    return said


def toml(text: str) -> str:
    return "".join(f"\\U{ord(char):08x}" for char in text)


SETTINGS = {
    "a key": f'"{toml(EVIL)}" = 1\n',
    "a key in lines": f'"{toml("x" + chr(10) + EVIL)}" = 1\n',
    "a value": f'fail-on = "{toml(EVIL)}"\n',
    "a target": f'target = "{toml(EVIL)}"\n',
    "a folder": f'rules = ["{toml(EVIL)}"]\n',
    "a schema folder": f'schemas = ["{toml(EVIL)}"]\n',
    "a table of GPUs": f'gpus = ["{toml(EVIL)}"]\n',
    "a rule": f'ignore = ["{toml(EVIL)}"]\n',
    "no TOML": f"x = {EVIL}\n".replace("\r", ""),
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize(
    "command", [(), *(pytest.param((name,), marks=pytest.mark.rest) for name in ("fit", "trace", "explain"))]
)
def test_settings_of_the_tree_print_text(trainlint, config, settings, command) -> None:
    trainlint.write("trainlint.toml", settings)
    trainlint.write("c.yml", config)
    done = trainlint(*command, "c.yml", "--no-trace")
    assert "internal error" not in held(done)


@pytest.mark.parametrize("form", names())
def test_file_names_and_values_print_text(trainlint, variant, form) -> None:
    name = f"{EVIL.replace('/', '')}.yml"
    trainlint.write(
        name, variant(("name: tiny", f'name: "{toml(EVIL)}"'), ("type: MSRResNet", f'type: "{toml(EVIL)}"'))
    )
    trainlint.write(f"x{name}", "a: [")
    trainlint.write(f"y{name}", "name: x\n")
    trainlint.env["GITHUB_STEP_SUMMARY"] = str(trainlint.folder / "summary")
    named = [name, f"x{name}", f"y{name}", f"./{name}"]
    for paths, code in ((["."], 0), (named, 2)):  # in a folder a broken file may be another program's
        done = trainlint(*paths, "--no-trace", "--format", form, "-t", "rtx-4090")
        assert "OWNED" in held(done)
        assert done.returncode == code


def test_a_fixed_file_is_named_as_text(trainlint, variant) -> None:
    name = f"{EVIL}.yml"
    trainlint.write(name, variant(("use_hflip: true", "use_hflip: true\n    queue_sizes: 180")))
    for options in (("--fix",), ("--diff",)):
        held(trainlint(name, "--no-trace", "-t", "rtx-4090", *options))


@pytest.mark.slow
def test_names_that_are_no_text_at_all_print(trainlint, config) -> None:
    trainlint.write("c.yml", config)
    name = b"x\xff\xfe.yml"
    with open(bytes(trainlint.folder) + b"/" + name, "wb") as file:  # noqa: PTH123  # its name is bytes
        file.write(config.encode())
    for form in names():
        done = trainlint(".", "--no-trace", "--format", form, "-t", "rtx-4090")
        assert done.returncode in (0, 1)
        held(done)


WRONG = (
    (EVIL,), (f"--{EVIL}",), ("rule", EVIL), ("schema", EVIL), ("fit", EVIL), ("c.yml", "-t", EVIL),
    ("c.yml", "--format", EVIL), ("c.yml", "--networks", EVIL),
)  # fmt: skip


@pytest.mark.parametrize("words", WRONG, ids=range(len(WRONG)))
def test_wrong_use_is_told_in_text(trainlint, config, words) -> None:
    trainlint.write("c.yml", config)
    done = trainlint(*words)
    assert done.returncode == 2
    assert "OWNED" in held(done)


def test_an_internal_error_is_told_in_text(trainlint, config) -> None:
    """With --debug too: a traceback ends with the exception's own words."""
    trainlint.write("c.yml", config)
    script = (
        "import sys, trainlint.pipeline.job_reader as p\n"
        f"def broken(*a, **k): raise RuntimeError({EVIL!r})\n"
        "p.normalise = broken\n"
        "from trainlint.cli.main import run\n"
        "run(sys.argv[1:])"
    )
    for words in (["c.yml"], ["c.yml", "--debug"]):
        done = subprocess.run(
            [sys.executable, "-c", script, *words], cwd=trainlint.folder, env=trainlint.env,
            capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert done.returncode == 3
        assert "OWNED" in held(done)


def test_a_patch_is_printed_as_it_is_or_not_at_all(tmp_path, capsys) -> None:
    write_patch("--- a\n+++ b\n-x\r\n+y\r\n é\n", None)
    assert capsys.readouterr().out == "--- a\n+++ b\n-x\r\n+y\r\n é\n"
    for line in ("a\rb", " ::error::x", "+x\x1b[2J", " ##[error]x", "-\u202ex"):
        with pytest.raises(UsageError, match="not printed"):
            write_patch(f"--- a\n+++ b\n{line}\n", None)
        write_patch(f"--- a\n+++ b\n{line}\n", tmp_path / "p")
        assert (tmp_path / "p").read_bytes().decode() == f"--- a\n+++ b\n{line}\n"
    assert capsys.readouterr().out == ""


@pytest.mark.rest
def test_a_network_named_in_a_committed_profile_prints_text(trainlint) -> None:
    settings = Settings().with_options(target=("rtx-4090",))
    tapes = tapes_for(settings, lambda _: None, may_trace=False)
    list(pipeline_for(settings, tapes).lint_source(Source("c.yml", EXAMPLE), named=True))
    (tape,) = tapes.used()
    network = dataclasses.replace(tape.networks[0], arch=f"{EVIL}\n::error::OWNED", role=EVIL)
    forged = dataclasses.replace(tape, networks=(*tape.networks, network))
    Store(trainlint.folder / ".trainlint" / "profiles").save(forged)
    trainlint.write("c.yml", EXAMPLE)
    for words in (("trace", "c.yml"), ("c.yml", "-t", "rtx-4090"), ("explain", "c.yml"), ("fit", "c.yml")):
        done = trainlint(*words, "--no-trace")
        assert done.returncode in (0, 1)
        assert "OWNED" in held(done) or words[0] != "trace"


@pytest.mark.rest
@pytest.mark.parametrize("to", ["outside", ".git/config", "outside of a folder without .git"])
def test_a_link_of_the_tree_takes_no_report_elsewhere(trainlint, config, tmp_path_factory, to) -> None:
    """Who commits report.json as a link knows how a CI calls its report."""
    trainlint.write("c.yml", config)
    if "without" not in to:
        trainlint.write(".git/config", "kept")
    victim = (trainlint.folder if "/" in to else tmp_path_factory.mktemp("out")) / to
    victim.write_text("kept")
    (trainlint.folder / "report.json").symlink_to(victim)
    check = ("c.yml", "-t", "rtx-3060", "--no-trace")
    for words in (
        (*check, "--output", "report.json"),
        (*check, "--report", "json=report.json"),
        (*check, "--write-baseline", "report.json"),
        ("explain", *check, "--html", "report.json"),
    ):
        done = trainlint(*words)
        assert done.returncode == 2
        assert f'"report.json": a link leads out of the repository, to "{victim}"' in done.stderr
        assert victim.read_text() == "kept"
    assert trainlint(*check, "--output", str(victim)).returncode == 0
    assert victim.read_text() != "kept"


def test_a_link_that_is_not_in_the_tree_is_followed(trainlint, config, tmp_path_factory) -> None:
    """/dev/stdout is one, and a user's own folder of reports."""
    trainlint.write("c.yml", config)
    trainlint.write(".git/config", "")
    folder = tmp_path_factory.mktemp("reports")
    (folder / "report.txt").symlink_to(folder / "latest.txt")
    check = ("c.yml", "-t", "rtx-3060", "--no-trace", "--output")
    assert trainlint(*check, str(folder / "report.txt")).returncode == 0
    assert "c.yml" in (folder / "latest.txt").read_text()
    (trainlint.folder / "reports").mkdir()
    (trainlint.folder / "here.txt").symlink_to("reports/here.txt")
    assert trainlint(*check, "here.txt").returncode == 0
    assert "c.yml" in (trainlint.folder / "reports" / "here.txt").read_text()
