# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a program hands to classes of trl, peft and transformers, against the releases it may run with."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from msgspec import Struct

from trainlint.dialects.check.allowed_releases import Allowed, allowed_releases
from trainlint.documents.call_signatures import Releases, Signature, releases_of, signature_of
from trainlint.errors import CLOSE_RATIO, most_alike
from trainlint.model.document import PYTHON, Document, Path
from trainlint.model.job import Problem

RULE: Final = "other-release"
UNKNOWN: Final = "unknown-argument"
SHARED: Final = "transformers.TrainingArguments"
"""The class whose arguments are among the keys of a config."""
KEPT: Final = {"llamafactory": ("overwrite_output_dir",)}
"""Arguments that transformers took away and a trainer has itself (hparams/training_args.py of 0.9.4)."""
RENAMED: Final = {
    "evaluation_strategy": "eval_strategy", "max_seq_length": "max_length", "no_cuda": "use_cpu",
    "push_to_hub_token": "hub_token", "tokenizer": "processing_class",
}  # fmt: skip
"""What an argument is called today (the deprecation warnings of transformers 4.41 and 4.46, TRL 0.16 and
0.20: Apache-2.0)."""


def call_problems(document: Document, dialect: str, said: Collection[str] = ()) -> Iterator[Problem]:
    """Yield arguments that a program's calls, or a config's keys, give in vain; `said` were spoken of."""
    allowed: dict[str, Allowed] = {}
    for name, arguments in _calls(document, dialect).items():
        signature = signature_of(name)
        if signature is None:
            continue
        for meant in filter(None, (signature, signature.base)):
            if meant.library not in allowed:
                allowed[meant.library] = allowed_releases(document, meant.library, dialect)
        left = {argument: path for argument, path in arguments.items() if argument not in said}
        yield from _Call(signature, ("@calls", name), left, allowed).problems()


def _calls(document: Document, dialect: str) -> Mapping[str, Mapping[str, Path]]:
    """Return class -> argument -> where it is written.

    Keys of a config are shared out to several classes: those that transformers' takes or took are its. Most
    configs have none that a release lacks, and then nothing around them is looked at.
    """
    if document.format == PYTHON:
        calls: Mapping[str, Mapping[str, Path]] = document.meta.get("calls", {})
        return calls
    shared = signature_of(SHARED)
    if shared is None or not isinstance(document.value, Mapping):
        return {}
    keys = (key for key in document.value if key in shared.arguments and key not in KEPT.get(dialect, ()))
    changing = {key: (key,) for key in keys if not shared.taking(key) >= shared.releases}
    return {SHARED: changing} if changing else {}


class _Call(Struct, frozen=True):
    """One call of a class, and the releases that may run it."""

    signature: Signature
    path: Path
    arguments: Mapping[str, Path]
    allowed: Mapping[str, Allowed]

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong with a call: the class that is not there, or some of its arguments."""
        own = self.allowed[self.signature.library]
        if not own.releases or not self._open_base():
            return
        having = own.releases & self.signature.releases
        if max(own.releases) not in having:
            yield self._class_lacking(harmless=bool(having))
            return
        unlike: list[str] = []
        for argument in self.arguments:
            if self._is_taken(argument, {max(own.releases)}, {max(self._open_base())}):
                continue
            if not self._ever(argument):
                yield self._unknown(argument)
            elif self._today(argument) or not self._removed(argument):
                yield self._of_another(argument)
            else:
                unlike.append(argument)
        if unlike:
            yield self._several(unlike)

    def _open_base(self) -> Releases:
        base = self.signature.base
        return self.allowed[base.library].releases if base is not None else frozenset({0})

    def _is_taken(self, argument: str, own: Collection[int], of_base: Collection[int]) -> bool:
        """Return whether any of some releases takes an argument, itself or by its base."""
        if not self.signature.taking(argument).isdisjoint(own):
            return True
        inherits = not self.signature.inheriting.isdisjoint(own)
        return inherits and not self._by_base(argument).isdisjoint(of_base)

    def _by_base(self, argument: str) -> Releases:
        return self.signature.base.taking(argument) if self.signature.base is not None else frozenset()

    def _ever(self, argument: str) -> bool:
        return bool(self.signature.taking(argument) or self._by_base(argument))

    def _open(self, argument: str) -> bool:
        """Return whether a release that may be installed takes an argument."""
        return self._is_taken(argument, self.allowed[self.signature.library].releases, self._open_base())

    def _deciding(self, argument: str) -> tuple[str, Releases]:
        """Return the library whose release decides on an argument, and those that take it."""
        base = self.signature.base
        own = self.signature.taking(argument)
        if own or base is None:
            return self.signature.library, own
        return base.library, base.taking(argument)

    def _removed(self, argument: str) -> bool:
        """Return whether what may be installed is later than the releases that take an argument."""
        library, taking = self._deciding(argument)
        return max(self.allowed[library].releases) > max(taking)

    def _today(self, argument: str) -> str | None:
        """Return what the class that may be installed calls an argument."""
        name = RENAMED.get(argument)
        newest = {max(self.allowed[self.signature.library].releases)}, {max(self._open_base())}
        return name if name and self._is_taken(name, *newest) else None

    def _bound(self, argument: str) -> str:
        """Say since which release an argument is gone, or before which it was not there yet."""
        library, taking = self._deciding(argument)
        order = releases_of(library)
        if self._removed(argument):
            return f"since {order[max(taking) + 1]}"
        return f"before {order[min(taking)]}"

    def _unknown(self, argument: str) -> Problem:
        base = self.signature.base
        known = {*self.signature.arguments, *(base.arguments if base is not None else ())}
        known = {name for name in known if name.isidentifier()}
        near = most_alike(argument, known - set(self.arguments), CLOSE_RATIO)
        library = self.signature.library
        order = releases_of(library)
        hint = (
            f'; did you mean "{near}"?' if near else f" (no {library} from {order[0]} to {order[-1]} has it)"
        )
        return Problem(
            UNKNOWN,
            f'{self.signature.name} takes no argument "{argument}"{hint}',
            self.arguments[argument],
            on_key=True,
            suggestion=near,
            harmless=near is None and not self.allowed[library].ends,
        )

    def _of_another(self, argument: str) -> Problem:
        library, _ = self._deciding(argument)
        today = self._today(argument)
        open_still = self._open(argument)
        return Problem(
            RULE,
            f"{self.signature.name} takes no argument {argument} {self._bound(argument)} of {library}"
            f"{f': it is {today} there' if today else ''}{self._because(library)}",
            self.arguments[argument],
            on_key=True,
            suggestion=today if not open_still else None,
            harmless=open_still,
        )

    def _several(self, arguments: list[str]) -> Problem:
        said = ", ".join(
            f"{argument} ({self._bound(argument)} of {self._deciding(argument)[0]}{self._moved(argument)})"
            for argument in arguments
        )
        library, _ = self._deciding(arguments[0])
        return Problem(
            RULE,
            f"{self.signature.name} takes no longer: {said}{self._because(library)}",
            self.arguments[arguments[0]],
            on_key=True,
            harmless=all(map(self._open, arguments)),
        )

    def _moved(self, argument: str) -> str:
        """Say what of a trainer's config an argument is today."""
        library, name = self.signature.library, self.signature.name
        config = signature_of(f"{library}.{name.removesuffix('Trainer')}Config")
        if config is None or config is self.signature:
            return ""
        newest = max(self.allowed[library].releases)
        names = (today for today in (argument, RENAMED.get(argument, "")) if newest in config.taking(today))
        today = next(names, None)
        return f", {config.name}'s {today} now" if today else ""

    def _class_lacking(self, *, harmless: bool) -> Problem:
        library = self.signature.library
        order = releases_of(library)
        newest = max(self.allowed[library].releases)
        earlier = [index for index in self.signature.releases if index < newest]
        when = (
            f"since {order[max(earlier) + 1]}" if earlier else f"before {order[min(self.signature.releases)]}"
        )
        return Problem(
            RULE,
            f"{library} has no {self.signature.name} {when}{self._because(library)}",
            self.path,
            harmless=harmless,
        )

    def _because(self, library: str) -> str:
        said = self.allowed[library].said
        return f" ({said})" if said else f", and nothing that was found keeps {library} at another release"
