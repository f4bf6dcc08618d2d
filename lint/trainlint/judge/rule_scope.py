# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What one job's rules can see: values by name, where each came from, and why one is missing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import PurePath
from typing import Any, Final

from msgspec import Struct, field

from trainlint.commands.processes_and_gpus import processes_of, visible_to
from trainlint.config.value_by_path import absent, dig
from trainlint.dialects.reader.held_out_data import splits_by_val_size
from trainlint.dialects.unknown_values import Unknown, why_unknown
from trainlint.files.enclosing_folders import lies_with_tests
from trainlint.judge.rule_names import COMMAND
from trainlint.judge.rule_values import fact_values, install_values, target_values
from trainlint.judge.scale_in_name import scale_in
from trainlint.model.document import Document, Path
from trainlint.model.facts import Facts
from trainlint.model.finding import NO_TARGET
from trainlint.model.job import Job
from trainlint.model.spec import TrainSpec
from trainlint.model.start import Start
from trainlint.model.target import Target
from trainlint.model.trainer import Trainer
from trainlint.repository.environment import environment_for

PAGES: Final = (".md", ".markdown", ".rst")
"""Suffixes of what is written for others to read."""

SPLITTING: Final = "llamafactory"
"""The dialect whose forks may hold data out by a key of their own."""
OLD_LAUNCHER = "torch.distributed.launch"
"""The launcher that passes each process its rank as a flag."""


class Scope(Struct, frozen=True, eq=False, dict=True):
    """A job seen through the names of rules; `values` holds only what is there."""

    document: Document
    spec: TrainSpec
    target: Target | None = None
    facts: Facts | None = None
    variant: str | None = None
    start: Start | None = None
    trainer: Trainer | None = None
    looked: Mapping[str, Any] = field(default_factory=dict)
    own_step: bool = False
    own_feed: bool = False
    own_networks: tuple[str, ...] = ()
    tests: bool = False
    unknown: Mapping[str, str] = field(default_factory=dict)
    unsound: bool = False
    """Some value of the document has been refused already: what reads it may fail without being to blame."""
    keys: dict[str, Path | None] = field(default_factory=dict)
    """Where each field is set, as `keys.key_of` found it: the edits of all findings ask for the same few."""

    @cached_property
    def values(self) -> dict[str, Any]:
        """Every present `spec.*`, `target.*`, `facts.*`, `command.*`, `start.*` and `install.*`."""
        command = dict(self.document.meta) if self.document.format == "command" else {}
        source = self.trainer.source if self.trainer is not None else None
        if command.get("launcher") == OLD_LAUNCHER and source is not None:
            command["dashes"] = bool(source.quotes("--local-rank"))
        command["variables"] = list(command.get("env", ()))
        command["processes"], command["visible"] = processes_of(self.document), visible_to(self.document)
        start = self.start.values if self.start is not None else {}
        root = self.trainer.root if self.trainer is not None else None
        hides = None if source is None else source.hides_gpus
        named = self.trainer is not None and self.trainer.named
        return {
            "job.identified": named or source is not None,
            "job.named": named,
            "job.hides_gpus": hides is not False,
            "job.takes_cpu": source is not None and source.takes_cpu,
            "job.lies_with_tests": lies_with_tests(self.document.source.path),
            "job.reads_stages": source is None or source.finds("mini_batch_sizes", quoted=True) is not False,
            "job.reads_safetensors": source is not None and source.finds("safetensors") is not False,
            "job.verifies_buckets": source is None or source.finds("verify_bucket_reso_steps") is not False,
            "job.splits_by_val_size": self.spec.get("dialect") != SPLITTING
            or splits_by_val_size(self.document, source),
            "job.own_step": self.own_step,
            "job.own_feed": self.own_feed,
            "job.own_networks": list(self.own_networks),
            "job.in_prose": PurePath(self.document.source.path).suffix.lower() in PAGES,
            "job.tests": self.tests,
            "job.variant": self.variant or "",
            "job.file_scale": scale_in(PurePath(self.document.source.path).stem),
            "job.name_scale": scale_in(str(self.spec.get("name", ""))),
            **{f"command.{name}": command[name] for name in COMMAND if command.get(name)},
            **{f"data.{name}": value for name, value in self.looked.items()},
            **{f"start.{name}": value for name, value in start.items()},
            **{f"spec.{name}": value.value for name, value in self.spec.fields.items()},
            **target_values(self.target),
            **fact_values(self.facts),
            **install_values(self.document.installs),
            **{f"env.{name}": value for name, value in environment_for(self.document, root).values.items()},
        }

    def get(self, name: str) -> Any:
        """Return a value; raises KeyError where it is absent."""
        if name.startswith("doc."):
            value = dig(self.document.value, tuple(name.split(".")[1:]))
            if absent(value):
                raise KeyError(name)
            return value
        return self.values[name]

    def __contains__(self, name: str) -> bool:
        if name.startswith("doc."):
            return not absent(dig(self.document.value, tuple(name.split(".")[1:])))
        return name in self.values

    @cached_property
    def open_keys(self) -> frozenset[str]:
        """Flags that a command leaves open: it is abridged, or only the shell knows their values."""
        if self.document.format != "command":
            return frozenset()
        return frozenset(f"doc.{key}" for key, value in self.document.value.items() if value is None)

    def why_missing(self, name: str) -> str | None:
        """Return why a target's or an estimate's value is missing; None: the rule simply does not apply."""
        if name.startswith(("target.", "facts.")) and self.target is None:
            return NO_TARGET
        if not name.startswith("facts."):
            return None
        if self.facts is None:
            return "nothing was estimated"
        words = name.split(".")[1:]
        for end in range(len(words), 0, -1):
            if reason := self.facts.missing.get(".".join(words[:end])):
                return reason
        return None

    def why_unknown(self, name: str) -> str | None:
        """Return why a value of the config is not known; None: it is known, or not there."""
        if not self.unknown:
            return None
        if name.startswith("doc."):
            path = tuple(name.split(".")[1:])
            return next(iter(self.unknown.values())) if Unknown.of(self.document).touches(path) else None
        return why_unknown(self.unknown, name.removeprefix("spec.")) if name.startswith("spec.") else None

    def paths(self, name: str) -> tuple[Path, ...]:
        """Return the document paths a name came from, the clearest first."""
        if name.startswith("doc."):
            return (tuple(name.split(".")[1:]),) if name in self else ()
        if name.startswith("spec."):
            return self.spec.at(name.removeprefix("spec."))
        place = {"command.script": "@script", "command.launcher": "@launcher", "command.program": "@script"}
        return ((place[name],),) if name in place else ()

    def is_default(self, name: str) -> bool:
        """Return whether the trainer (or the architecture) supplied a field's value, not the user."""
        value = self.spec.fields.get(name.removeprefix("spec.")) if name.startswith("spec.") else None
        return value is not None and value.origin == "default"


def _changes_samples(job: Job) -> bool:
    """Return whether a repository's own model class may train on other samples than its data set gives."""
    from trainlint.dialects.reader.surroundings import Surroundings  # noqa: PLC0415 - of an own step alone
    from trainlint.repository.trainer.own_feed import changes_samples  # noqa: PLC0415 - the same

    around = Surroundings.of(job.trainer) if job.trainer is not None else None
    return job.own is not None and changes_samples(job.own.step, around.words if around is not None else None)


def scope_of(job: Job, target: Target | None = None, facts: Facts | None = None) -> Scope:
    """Return what rules see of a placed job."""
    own_step = job.own is not None and job.own.unknown_step() is not None
    own_feed = own_step and _changes_samples(job)
    networks = job.own.networks.items() if job.own is not None else ()
    own_networks = tuple(name for name, network in networks if network.differs is not None)
    own_networks += tuple(job.own.differing) if job.own is not None else ()
    return Scope(
        job.document, job.spec, target, facts, job.variant, job.start, job.trainer, job.looked, own_step,
        own_feed, own_networks, job.tests, job.unknown,
    )  # fmt: skip
