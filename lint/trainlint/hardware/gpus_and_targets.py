# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""All GPUs and targets at hand: gpus.toml, the user's files over it, and this machine as `local`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from trainlint.errors import UsageError, words_alike
from trainlint.expressions.patterns import later
from trainlint.hardware.gpu_from_table import gpu_of, other_vendor, target_of
from trainlint.hardware.gpu_names import matching, slug, words
from trainlint.hardware.hardware_tables import HardwareTable, TableError, read_tables
from trainlint.model.target import Gpu, Target
from trainlint.shipped.extensions import brought
from trainlint.shipped.kept_data import checked_once
from trainlint.shipped.resource_paths import resource

TABLE_HEADER = r"^\[(gpu|target)\."
"""What every file of tables has."""
LOCAL = "local"
SEVERAL_CARDS = later(r"(\d{1,99})\s*x\s*[:\- ]?\s*(.+)", re.IGNORECASE)
MOST_GPUS = 1024  # of one target; more is a slip of the pen
UNMODELLED = (
    "its allocator and kernels are not known; without a target all but memory, time and disk is judged"
)
"""Why a card that is not NVIDIA's is no target, and what can be had all the same."""
NAMES_OFFERED = 5  # names offered for an unknown one


class Hardware:
    """The GPUs and targets of some files; each is built and checked when it is first asked for."""

    def __init__(self, tables: Sequence[HardwareTable]) -> None:
        self._gpus: dict[str, HardwareTable] = {}
        self._targets: dict[str, HardwareTable] = {}
        for table in tables:
            known = self._gpus if table.kind == "gpu" else self._targets
            key = slug(table.name)
            known[key] = known[key].merged(table) if key in known else table

    def check(self, tables: Sequence[HardwareTable], *, shipped: bool = False) -> None:
        """Build what these tables describe, so that an error in one shows before it is first used."""
        for table in tables:
            if table.kind == "gpu":
                from trainlint.hardware.same_name_gpus import check_name  # noqa: PLC0415 - not for what was checked

                self.gpu(table.name)
                check_name(self._gpus[slug(table.name)], self._gpus.values(), sizes=shipped)
            else:
                if slug(table.name) == LOCAL:
                    raise table.error("gpu", '"local" is this machine: expected another name')
                gpu, hidden = self.target(table.name).gpu, slug(table.name)
                if hidden in self._gpus and (gpu is None or slug(gpu.name) != hidden):
                    raise table.error("gpu", "the target has the name of another GPU, which it would hide")

    def names(self) -> tuple[str, ...]:
        """Return every name that `target` takes as it is: `local`, machines, GPUs."""
        return (LOCAL, *self._targets, *self._gpus)

    def targets(self) -> tuple[Target, ...]:
        """Return the machines, in the order of their tables."""
        return tuple(self._machine(table) for table in self._targets.values())

    def gpus(self) -> tuple[Gpu, ...]:
        """Return the GPUs, in the order of their tables."""
        return tuple(gpu_of(table) for table in self._gpus.values())

    def gpu(self, name: str) -> Gpu:
        """Return a GPU by its name, however it is written, or one of which only the size is named (48GiB).

        Raises UsageError: unknown (with near names) or ambiguous (with the candidates).
        """
        gpus = self.gpus_named(name)
        if len(gpus) > 1:
            candidates = ", ".join(f'"{gpu.name}"' for gpu in gpus)
            raise UsageError(f'GPU "{name}" is ambiguous: expected one of {candidates}')
        if not gpus and (sized := _card_of_size(name)) is not None:
            return sized
        if not gpus:
            raise UsageError(f'unknown GPU "{name}"{self._near(name, self._gpus)}')
        return gpus[0]

    def gpus_named(self, name: str) -> tuple[Gpu, ...]:
        """Return every GPU that a name can mean: several for "RTX 3080", which has two memory sizes."""
        if slug(name) in self._gpus:
            return (gpu_of(self._gpus[slug(name)]),)
        return tuple(gpu_of(self._gpus[key]) for key in matching(name, self._spellings()))

    def target(self, name: str) -> Target:
        """Return a machine by name, a GPU or a size as a machine of one card, `4x:GPU`, or `local`.

        A name of one chip's cards means the one with the least memory, and the target says so. Raises
        UsageError: unknown (with near names), several chips, or no GPU found for `local`.
        """
        key = slug(name)
        if key in self._targets:
            return self._machine(self._targets[key])
        if key == LOCAL:
            return self._this_machine()
        if several := SEVERAL_CARDS.fullmatch(name.strip()):
            return self._least(several[2], int(several[1]))
        if not self.gpus_named(name) and _card_of_size(name) is None:
            if vendor := other_vendor(name):
                raise UsageError(f'"{name}" ({vendor}) is not modelled: {UNMODELLED}')
            raise UsageError(f'unknown target "{name}"{self._near(name, self.names())}')
        return self._least(name, 1)

    def _least(self, name: str, count: int) -> Target:
        """Return so many of the card that a name means: of several that with the least memory."""
        gpus = self.gpus_named(name)
        if len(gpus) < 2 or len({gpu.compute_capability for gpu in gpus}) > 1:  # noqa: PLR2004 - one is clear
            return self._cards(self.gpu(name), count)  # which says what is none, or one of several chips
        least = min(gpus, key=lambda gpu: gpu.memory)
        others = ", ".join(gpu.name for gpu in gpus if gpu is not least)
        note = f'"{name}" is taken as {least.name}, the one with the least memory (others: {others})'
        return replace(self._cards(least, count), assumed=note)

    def _this_machine(self) -> Target:
        from trainlint.hardware.local_target import local_target  # noqa: PLC0415  slow to import, rarely asked for

        return local_target(self.gpus_named)

    def _machine(self, table: HardwareTable) -> Target:
        return target_of(table, self._gpu_in(table) if "gpu" in table.values else None)

    def _gpu_in(self, table: HardwareTable) -> Gpu:
        name = table.values["gpu"]
        try:
            return self.gpu(str(name))
        except TableError:
            raise  # of the GPU's own table, where its line is
        except UsageError as error:
            raise table.error("gpu", str(error)) from error

    def _cards(self, gpu: Gpu, count: int) -> Target:
        if not 1 <= count <= MOST_GPUS:
            raise UsageError(f'target "{count}x:{gpu.name}": expected 1 to {MOST_GPUS} GPUs')
        name = gpu.name if count == 1 else f"{count}x:{gpu.name}"
        return Target(name=name, gpu=gpu, gpu_count=count, source=gpu.source)

    def _spellings(self) -> Iterator[tuple[str, frozenset[str]]]:
        for key, table in self._gpus.items():
            size = frozenset({f"{table.values['memory_gb']:g}gb"} if "memory_gb" in table.values else ())
            for name in {key, *table.values.get("names", ())}:
                yield key, words(name)
                yield key, words(name) | size

    def _near(self, name: str, known: Sequence[str] | dict[str, HardwareTable]) -> str:
        key = slug(name)
        starting = [known_name for known_name in known if key and known_name.startswith(key)]
        near = dict.fromkeys([*starting, *words_alike(key, known, NAMES_OFFERED)])
        listed = ", ".join(f'"{near_name}"' for near_name in list(near)[:NAMES_OFFERED])
        return f"; did you mean {listed}?" if near else '; "trainlint targets" lists them all'


def load_hardware(extra: Sequence[Path] = ()) -> Hardware:
    """Load gpus.toml and, over it, those of installed extensions and the user's own files.

    A folder represents its *.toml. A table of a known name replaces only the keys it has. Raises
    UsageError with file, line and key. Shipped tables are checked as the user's own are, in a checkout
    whenever they changed.
    """
    shipped = read_tables(resource("gpus.toml"), shipped=True)
    with checked_once("gpus.toml") as unchecked:
        if unchecked:
            from trainlint.hardware.complete_tables import check_whole  # noqa: PLC0415  # not for what was checked

            for table in shipped:
                check_whole(table)
            Hardware(shipped).check(shipped, shipped=True)
    own = _further((*brought("gpus.toml"), *extra))
    hardware = Hardware([*shipped, *own])
    hardware.check(own)
    return hardware


def redefined(extra: Sequence[Path]) -> list[HardwareTable]:
    """Return the tables of further files by which a card or machine that is shipped is another one."""
    shipped = {(table.kind, slug(table.name)) for table in read_tables(resource("gpus.toml"), shipped=True)}
    return [table for table in _further(extra) if (table.kind, slug(table.name)) in shipped]


def _further(paths: Sequence[Path]) -> list[HardwareTable]:
    return [table for path in paths for file in _files(path, paths) for table in read_tables(file)]


def _card_of_size(name: str) -> Gpu | None:
    """Return a card of the size that a name is; None where it is no size."""
    from trainlint.hardware.target_by_size import card_of_size  # noqa: PLC0415 - of what no table names

    return card_of_size(name)


def _files(path: Path, named: Sequence[Path]) -> list[Path]:
    if not path.is_dir():
        return [path]
    from trainlint.files.nested_files import nested  # noqa: PLC0415  # for tables that are not ours

    if lost := nested(path, ".toml", TABLE_HEADER, named):
        raise UsageError(lost)
    files = sorted(path.glob("*.toml"))
    if not files:
        raise UsageError(f'no hardware tables in "{path}": expected files NAME.toml in it')
    return files
