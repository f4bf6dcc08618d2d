# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Shell text to commands: quoting, continuations, variables, three families of shells."""

from __future__ import annotations

import shlex
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.sampling import paired
from trainlint.commands.shell.shell import Command, Shell
from trainlint.commands.shell.shell_flavours import BATCH, NOTEBOOK, PAGE_SHELL, POSIX, POWERSHELL, Flavour
from trainlint.errors import TooLargeError
from trainlint.files.read_limits import Budget

FLAVOURS = (POSIX, PAGE_SHELL, NOTEBOOK, BATCH, POWERSHELL)


def run(text: str, flavour: Flavour = POSIX) -> list[Command]:
    return list(Shell(flavour).commands(text))


def words(text: str, flavour: Flavour = POSIX) -> list[list[str]]:
    return [[word.text for word in command.words] for command in run(text, flavour)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b  'c d' \"e f\" # g", [["a", "b", "c d", "e f"]]),
        ("a \\\n  b\r\nc \\\r\n d", [["a", "b"], ["c", "d"]]),
        ("a; b && c || d | e & f\n(g)", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]),
        ("a > x.log 2>&1 &\nb >> y < z c &>w", [["a"], ["b", "c"]]),
        ('a "q\\"r" \'s\\t\' u\\ v w#x', [["a", 'q"r', "s\\t", "u v", "w#x"]]),
        ('a "multi\nline" b', [["a", "multi\nline", "b"]]),
        ("cat <<EOF\npython train.py\nEOF\nb", [["cat"], ["b"]]),
        ("cat <<-'X'\n  p\n  X\nb", [["cat"], ["b"]]),
        ("a <<EOF\nno end", [["a"], ["no", "end"]]),
        ('a <GPU_ID> c/<config>.yml "<a b>"', [["a", "<GPU_ID>", "c/<config>.yml", "<a b>"]]),
        ("a --o=<モデルの出力先 b> --p=<.ckpt文件>", [["a", "--o=<モデルの出力先 b>", "--p=<.ckpt文件>"]]),
        ("if x; then a; else b; fi; while c; do d; done", [["x"], ["a"], ["b"], ["c"], ["d"]]),
        ("f() {\n a\n}", [["f"], ["a"]]),
    ],
)
def test_words_of_posix_shells(text: str, expected: list[list[str]]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B=4\na $B ${B} \"$B\" '$B' x${B}y", ["a", "4", "4", "4", "$B", "x4y"]),
        ('A="--x 1"\na $A "$A"', ["a", "--x", "1", "--x 1"]),
        ('A=(--x "1 2")\na "${A[@]}" ${A[*]}', ["a", "--x", "1 2", "--x", "1 2"]),
        ("a ${1:-4} ${X:=5}", ["a", "4", "5"]),
        ("N=x\nC=${1:-o/$N.yml}\na $C", ["a", "o/x.yml"]),
        ("export B=4\na $B", ["a", "4"]),
        ("B=1\nB=2\na $B", ["a", "2"]),
        ("B=1\nB+=2\nA=(x)\nA+=(y z)\na $B ${A[@]}", ["a", "12", "x", "y", "z"]),
    ],
)
def test_variables_are_filled_in(text: str, expected: list[str]) -> None:
    (command,) = run(text)
    assert [word.text for word in command.words] == expected
    assert all(word.resolved for word in command.words)


@pytest.mark.parametrize(
    "text",
    [
        "a $1",
        "a $X",
        'a "$(date)"',
        "a $((2*B))",
        "a `nproc`",
        "for X in *; do a $X; done",
        "for X in 1 $Y; do a $X; done",
        "for X in {1..3}; do a $X; done",
        "X=1\nsource settings.sh\na $X",
        "X=1\nread X\na $X",
        "X=1; [ y ] && X=2\na $X",
        "X=1\nif y; then X=2; fi\na $X",
        "X=$(nproc)\na $X",
        "a ${X%.yml}",
        "a x$1y",
    ],
)
def test_what_is_only_known_at_run_time_stays_as_written(text: str) -> None:
    word = run(text)[-1].words[-1]
    assert not word.resolved
    assert text.replace('"', "").endswith(word.text) or "done" in text


def test_a_first_value_under_a_condition_is_taken() -> None:
    assert words('if [ -z "$B" ]; then B=8; fi\na $B')[-1] == ["a", "8"]


def test_the_script_s_own_arguments_are_left_out_and_noted() -> None:
    for text, flavour in (('a "$@" ${@:3} $*', POSIX), ("a %*", BATCH)):
        (command,) = run(text, flavour)
        assert [word.text for word in command.words] == ["a"]
        assert command.partial


def test_environment_of_a_command() -> None:
    command = run("export A=1\nC=3\nB=2 D=$A E=$9 a")[-1]
    assert command.env == {"A": "1", "B": "2", "D": "1", "E": "$9"}
    assert [word.text for word in command.words] == ["a"]
    assert command.start == len("export A=1\nC=3\n")


def test_batch_files() -> None:
    text = (
        "@echo off\r\nREM python train.py ^\r\n:: b\r\nset B=4\r\n"
        'set "O=a b"\r\nset R=c d\r\nset /a N=1+2\r\n'
        "a ^\r\n  .\\x\\y %B% \"%O%\" !B! 'q %R% it's\r\nb %1 %~dp0 %N% 100% & c"
    )
    commands = run(text, BATCH)
    assert [[word.text for word in command.words] for command in commands] == [
        ["echo", "off"],
        ["a", ".\\x\\y", "4", "a b", "4", "'q", "c", "d", "it's"],
        ["b", "%1", "%~dp0", "%N%", "100%"],
        ["c"],
    ]
    assert [word.resolved for word in commands[2].words] == [True, False, False, False, True]
    assert commands[1].env["O"] == "a b"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("[Math]::Ceiling($n / 2)", "$x"),
        ("Get-Steps", "$x"),
        ("1e-6", "1e-6"),
        ('"a b"', "a b"),
        ("$n", "$x"),
    ],
)
def test_what_powershell_calls_is_known_when_it_runs(value: str, text: str) -> None:
    word = run(f"$x = {value}\ntrain $x\n", POWERSHELL)[-1].words[1]
    assert (word.text, word.resolved) == (text, text != "$x")


def test_powershell() -> None:
    text = (
        '<# a\nb #>\n$b = 4 # c\n$env:CUDA_VISIBLE_DEVICES = "0,1"\n& a `\n  $b \'x y\' "z $b" `"q $env:HOME'
    )
    (command,) = run(text, POWERSHELL)
    assert [word.text for word in command.words] == ["a", "4", "x y", "z 4", '"q', "$env:HOME"]
    assert command.env == {"CUDA_VISIBLE_DEVICES": "0,1"}


def test_windows_paths_survive_where_the_shell_is_not_named() -> None:
    assert words("a C:\\x\\y .\\z \\'q", PAGE_SHELL) == [["a", "C:\\x\\y", ".\\z", "'q"]]


@pytest.mark.parametrize(
    ("text", "message", "at", "last"),
    [
        ('python train.py --a "x --b 1\nc', "this quote is never closed", 20, "x --b 1"),
        ("python train.py --a 'x --b 1", "this quote is never closed", 20, "x --b 1"),
        ('python train.py --a "x \\\n --b 1\nc "d"', "this quote is never closed", 20, "1"),
        ('python train.py --a "x\n --b "d" --c 1', "this quote is never closed", 20, "x"),
        ("python train.py --a \\ \n  --b 1", 'a blank after the "\\" ends', 21, "1"),
        ("python train.py --a \\  # why\n  --b 1", 'a comment after the "\\" ends', 21, "1"),
        ("python train.py --a 1\n  --b 1", 'the next line goes on with "--b"', 21, "1"),
    ],
)
def test_half_commands_are_marked_and_still_read(text: str, message: str, at: int, last: str) -> None:
    command = run(text)[0]
    assert command.broken is not None
    assert message in command.broken.message
    assert command.broken.offset == at
    assert command.words[-1].text == last


def test_lines_that_a_page_leaves_out_break_no_command() -> None:
    assert run("python train.py \\\n  --a 1 \\\n  ...\n  --b 2\n")[0].broken is None


def test_a_quoted_word_may_go_over_lines() -> None:
    (command,) = run('python train.py --prompt "think <a>\n<b>\n here </b>. Then" \\\n  --steps 3\n')
    assert command.broken is None
    assert [word.text for word in command.words[2:]] == [
        "--prompt",
        "think <a>\n<b>\n here </b>. Then",
        "--steps",
        "3",
    ]


@pytest.mark.parametrize(
    ("text", "last", "broken"),
    [
        (
            "python train.py\n  --a=1 --b\n--c 2\nls",
            [["python", "train.py", "--a=1", "--b", "--c", "2"], ["ls"]],
            False,
        ),
        ("python train.py --a 1\n\n  --b 1", [["python", "train.py", "--a", "1"], ["--b", "1"]], False),
        (
            "python train.py --a 1\n  --b 1 \\\n  --c 2",
            [["python", "train.py", "--a", "1"], ["--b", "1", "--c", "2"]],
            True,
        ),
        ("python train.py \\\n --a 1\n  --b 1", [["python", "train.py", "--a", "1"], ["--b", "1"]], True),
        ("ls\n--b 1", [["ls"], ["--b", "1"]], False),
    ],
)
def test_pages_wrap_commands_that_are_typed_in_one_line(
    text: str, last: list[list[str]], broken: bool
) -> None:
    """As sd-scripts' pages do; one that has a continuation mark lacks the others."""
    assert words(text, PAGE_SHELL) == last
    assert (run(text, PAGE_SHELL)[0].broken is not None) is broken


def test_reading_goes_on_after_an_unclosed_quote() -> None:
    assert words('python train.py --a "x\nb c')[-1] == ["b", "c"]


def test_code_in_quotes_may_span_lines() -> None:
    (command,) = run('python -c "import x\nx.y()"')
    assert command.broken is None


TEXTS = st.lists(
    st.sampled_from(
        [
            *"abA=1$%{}()[]<>|&;'\"\\`^#!~*@ \t\n",
            "\r\n",
            "<<E",
            "${A",
            "$(",
            "if ",
            "fi",
            "for A in ",
            "do ",
            "set ",
            "export ",
        ]
    ),
    max_size=30,
).map("".join)


@pytest.mark.rest
@settings(max_examples=300, deadline=None)
@given(TEXTS | st.text(max_size=40), st.sampled_from(FLAVOURS))
def test_no_text_fails_and_every_word_stands_in_it(text: str, flavour: Flavour) -> None:
    at = 0
    for command in run(text, flavour):
        assert at <= command.start <= command.end <= len(text)
        for word in command.words:
            assert command.start <= word.start < word.end <= command.end
        at = command.end


PLAIN = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=8), min_size=1, max_size=6
)


@pytest.mark.rest
@settings(max_examples=400, deadline=None)
@given(PLAIN)
def test_what_shlex_quotes_comes_back(arguments: list[str]) -> None:
    assume(not any(".py" in argument for argument in arguments))  # there a quote ends with its line: below
    text = " ".join(["run", *(shlex.quote(argument) for argument in arguments)])
    (command,) = run(text)
    assert [word.text for word in command.words] == ["run", *arguments]


def test_a_quote_left_open_in_a_training_command_ends_with_its_line() -> None:
    assert words("run train.py 'a\nrun 'b'") == [["run", "train.py", "a"], ["run", "b"]]
    assert words("run train.py 'a\nb'") == [["run", "train.py", "a\nb"]]
    assert words("run train 'a\nrun b'") == [["run", "train", "a\nrun b"]]


PIECES = [
    '"',
    "'",
    "$(",
    "`",
    "<<A\n",
    "<<A{}\n",
    "a\\ \n",
    "${",
    "(",
    "a=(",
    "<a",
    "%",
    "\\",
    "a ",
    '"\n',
    "$x",
    'x.py "\n',
]
"""What a script repeats."""


@pytest.mark.rest
@pytest.mark.parametrize(("piece", "flavour"), paired(PIECES, FLAVOURS))
def test_no_text_is_slow(piece: str, flavour: Flavour) -> None:
    text = "".join(piece.replace("{}", str(index)) for index in range(20_000))
    start = time.process_time()
    for _ in Shell(flavour, Budget(TooLargeError("endless"), 200_000)).commands(text):
        pass
    assert time.process_time() - start < 20


@pytest.mark.parametrize("line", ["A=$A$A\n", "A=${1:-$A$A}\n", "A+=$A\n"])
def test_variables_that_double_are_given_up(line: str) -> None:
    start = time.process_time()
    assert not run("A=x\n" + line * 60 + "a $A")[-1].words[-1].resolved
    assert time.process_time() - start < 20


def test_arrays_that_double_are_refused() -> None:
    start = time.process_time()
    with pytest.raises(TooLargeError):
        run("A=(x)\n" + 'A=("${A[@]}" "${A[@]}")\n' * 60 + "a $A")
    assert time.process_time() - start < 20


def test_data_in_a_script_is_too_large() -> None:
    with pytest.raises(TooLargeError, match="of shell"):
        run("a " * 100_001)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("for X in 1 2; do a $X; done", ["a 1", "a 2"]),
        ("L=(1 2)\nfor X in ${L[@]}\ndo\n  Y=$X\n  a $Y\ndone", ["a 1", "a 2"]),
        ("for X in 1 2; do for Y in 3 4; do a $X$Y; done; done", ["a 13", "a 14", "a 23", "a 24"]),
        ("for X in 1 2; do a b; done\nc $X", ["a b", "c 2"]),
        ("if y; then for X in 1; do a $X; done; fi", ["y", "a 1"]),
    ],
)
def test_a_loop_over_words_is_its_rounds(text: str, words: list[str]) -> None:
    assert [" ".join(word.text for word in command.words) for command in run(text)] == words


def test_a_long_loop_is_read_once_and_nested_ones_end() -> None:
    many = " ".join(map(str, range(17)))
    (command,) = run(f"for X in {many}; do a $X; done")
    assert not command.words[-1].resolved
    nested = "".join(f"for X{n} in 1 2 3 4 5 6 7 8; do " for n in range(40)) + "a" + "; done" * 40
    assert len(run(nested)) >= 1


def test_a_function_has_arguments_of_its_own() -> None:
    shell = Shell(POSIX, arguments=["7"])
    found = [*shell.commands("run() { a $1; }\nfunction go { a $1\n}\nrun 4\nb $1\n")]
    last = {command.words[0].text: command.words[-1] for command in found}
    assert (last["a"].resolved, last["b"].text) == (False, "7")
