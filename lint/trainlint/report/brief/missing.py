# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a report lacks, asked for in the words of who can give it."""

from __future__ import annotations

from trainlint.expressions.patterns import later
from trainlint.model.facts import ESTIMATED
from trainlint.model.finding import NO_TARGET, OF_FLAGS, UNCOUNTED, Level
from trainlint.model.result import NOT_SELECTED, Result, why_unjudged
from trainlint.report.brief.short_message import clauses

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""Where the CPU build of torch is (pytorch.org/get-started)."""
WITH_TARGET = "give a target, -t NAME (trainlint targets lists them)"
IN_OPTIONS = "what is trained is in the option file"
NO_GPU = "the target has no GPU"
NO_PROFILE = f"no stored profile: install torch (CPU build: {CPU_INDEX})"
WITH_EXTRA = "no stored profile: {what} (torch's CPU build: " + CPU_INDEX + ")"
NO_TRACE = "no stored profile, and nothing may be traced: run trainlint trace, or leave out --no-trace"
HOW_MANY_SAMPLES = "how many training"
SIZE_ASKED = HOW_MANY_SAMPLES + " {what}? --dataset-size N"
STEP_STOPS = '"the step" cannot be traced: '
"""How the reason begins of a step that stops where it is traced, as it would where it is run."""
NOT_KNOWN = "not known"
UNHELD = later(r"^the flags of .* are not known, (?P<what>.*) among them$")
DRY_RUN = r"(?P<what>(?:cd .* && )?trainlint dry-run .*?)"
ASKED_BY_REASON = (
    (f"^{NO_TARGET}$", WITH_TARGET),
    (r"^the target .* has no GPU$|^no GPU of the target ", NO_GPU),
    (
        r"number of training (?P<what>images|samples) is not known",
        SIZE_ASKED,
    ),
    (r"^no torch and no stored profile of this step: (?P<what>pip install \S*finetune\S*)", WITH_EXTRA),
    (r"^no torch and no stored profile|^torch is not installed", NO_PROFILE),
    (r"^no stored profile", NO_TRACE),
    (r"^validation image size unknown: (?P<what>.*)", "how large are they? {what}"),
    (r"batch size is not known", "the batch size is not known: give it in the command or the config"),
    (r"^not timed: (?P<why>.*?) \(run 100 iter", "run 100 iterations and give --log FILE"),
    (
        r"^(?P<what>.*?),? (?:is|are) not counted and may",
        "not counted: {what}; trainlint measure CONFIG shows it",
    ),
    (
        rf"^the stored dry run is not used: (?P<why>.*); {DRY_RUN} makes it again$",
        "the stored dry run is not used: {why}; {what}",
    ),
    (
        rf"^the config does not say .*step it runs; {DRY_RUN} (?:runs|makes|plays) ",
        "{what} says it, by the program itself",
    ),
    (
        rf"; {DRY_RUN} runs the program itself",
        "{what} says it, by the program itself",
    ),
    (
        r"^(?P<what>.* is changed in [^\s;]+)",
        "{what}: trainlint dry-run -- COMMAND says it, by the program itself",
    ),
    (rf"^{STEP_STOPS}(?P<what>.*)", "tracing the step stopped: {what}"),
    (r"^what is trained is in ", IN_OPTIONS),
    (
        r"^(?P<what>the config does not say which .*step it runs)$",
        "{what}: lint a script that has the command which starts it",
    ),
    (r"^(?P<what>unknown network .*; did you mean .* at .*\?)$", "{what}"),
    (
        r"^(?P<what>unknown network .*)",
        "{what}: if it is your own, give --networks FILE.py and --python INTERPRETER",
    ),
    (
        r'^unknown training step "(?P<what>[^"]+)"; give --networks',
        'unknown training step "{what}": give --networks FOLDER, where a file lists it',
    ),
    (
        r'^unknown training step "(?:.*\.)?(?P<name>[^".]+)"; (?P<what>trainlint dry-run -- COMMAND) ',
        "unknown model class {name}: {what} plays the program itself",
    ),
    (
        r'^unknown training step "(?:.*\.)?(?P<what>[^".]+)"',
        "unknown model class {what}: trainlint dry-run -- COMMAND plays your trainer's own",
    ),
)
"""Reasons, and what is asked for; `{name}` is a part of the reason."""
ARGUMENTS_RULE = "network-arguments"
SAMPLING_RULE = "vram-sampling"
"""The rule of networks that no torch can build as they are written."""
ABRIDGED = 'write out what "..." stands for'
GPU_ALONE = "without the loader"
LOOKED_AT = "--data FOLDER"
WITH_CORES = "a target with cpu_cores"
WITH_LOG = "--log FILE adds it"
HOW_MANY = "100 iterations and --log FILE say how many sessions"
OF_PART = "put these lines into their config and lint it"
OF_PART_WITHOUT_NETWORK = "they name no network; lint their whole config"
MOST_REASON_WORDS = 24
"""Words of a reason that is given as it is."""


def asked(reason: str) -> str:
    """Return what would help against a reason, or the reason itself."""
    for pattern, words in ASKED_BY_REASON:
        match = later(pattern).search(reason)
        if match is not None:
            return words.format(**match.groupdict())
    return clauses(reason, MOST_REASON_WORDS)


def _of_part(result: Result) -> str:
    return OF_PART if result.networks else OF_PART_WITHOUT_NETWORK


def memory_wanted(result: Result) -> str:
    """Say what a verdict on memory lacks; "" where there is one."""
    if result.target is None:
        return WITH_TARGET if any(skip.reason == NO_TARGET for skip in result.skips) else ""
    if result.is_part:
        return _of_part(result)
    reason = why_unjudged(result)
    return "" if reason in (None, NOT_SELECTED) else _asked_of(result, reason)


def time_wanted(result: Result) -> str:
    """Say what the hours of a run lack; "" where they are known."""
    facts = result.facts
    if facts is None or (facts.time is not None and facts.time.total_hours is not None):
        return ""
    if result.is_part:
        return _of_part(result)
    reason = facts.missing.get("time.hours") or facts.missing.get("time")
    return "" if reason is None else _asked_of(result, reason)


def disk_wanted(result: Result) -> str:
    """Say what the size on disk lacks; "" where it is known."""
    facts = result.facts
    if facts is None or facts.disk is not None:
        return ""
    if result.is_part:
        return _of_part(result)
    reason = facts.missing.get("disk")
    return "" if reason is None else _asked_of(result, reason)


def samples_wanted(result: Result) -> str:
    """Say what the memory of sampled images lacks; "" where it is known, or the step's own is not."""
    reason = result.facts.missing.get("memory.validation") if result.facts is not None else None
    if reason is None or memory_wanted(result):
        return ""
    samples = any((skip.rule, skip.reason) == (SAMPLING_RULE, reason) for skip in result.skips)
    return asked(reason) if samples else ""


def unknown_flags(result: Result) -> str:
    """Return the flags of a command that are not known, where it is judged all the same; "" without any."""
    if memory_wanted(result):
        return ""
    unheld = (UNHELD.search(skip.reason) for skip in result.skips if skip.rule == OF_FLAGS)
    return next((reason["what"] for reason in unheld if reason is not None), "")


def flags_wanted(result: Result) -> str:
    """Say which flags of a command are not known; "" where all are."""
    flags = unknown_flags(result)
    return f"{flags} {NOT_KNOWN}" if flags else ""


def _asked_of(result: Result, reason: str) -> str:
    """Return what would help against a reason, with what the page itself says about it."""
    for finding in result.findings:
        unbuilt = finding.rule == ARGUMENTS_RULE and asked(reason) in (NO_PROFILE, NO_TRACE)
        stops = finding.level is Level.FAIL and reason.startswith(STEP_STOPS)
        if unbuilt or stops or finding.message.startswith(reason):  # which is said below
            return f"fix {finding.rule} first"
    words = asked(reason)
    if result.abridged and not words.endswith(SIZE_ASKED.partition("?")[2]):
        return ABRIDGED
    if not words.endswith(SIZE_ASKED.partition("?")[2]):
        return words
    uncounted = [skip.reason for skip in result.skips if skip.reason.startswith(UNCOUNTED)]
    if uncounted:
        return f"{uncounted[0].removeprefix(UNCOUNTED)}; {words}"
    from trainlint.report.brief.size_in_prose import size_in_prose  # noqa: PLC0415 - where it is asked for

    return f"{words}{size_in_prose(result)}"


def measurement_wanted(result: Result) -> str:
    """Say what measurement an estimated time needs most; "" where it decides enough by itself.

    Its loader is not counted, which may be slower than the GPU where neither cores nor images say that it is
    not; and it may leave open whether one session is enough.
    """
    time = result.facts.time if result.facts is not None else None
    if time is None or time.basis != ESTIMATED:
        return ""
    if (loading := time.loading) is not None and (loading.assumed or not loading.cores_known):
        end = 1 if loading.cores_known else 2  # the middle of what they leave open, or the most of it
        if loading.seconds[end] > time.step_seconds[end]:
            ways = [LOOKED_AT] * loading.assumed + [WITH_CORES] * (not loading.cores_known)
            return f"{GPU_ALONE}; {', '.join(ways)} or {WITH_LOG}"
    least, _, most = time.sessions or (None, None, None)
    return HOW_MANY if least == 1 != most else ""
