# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the user's own measurements say of a card: they replace what is assumed of it.

The setting `calibration` names files that `trainlint measure` wrote, a line for each run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from trainlint.errors import UnreadableError, UsageError
from trainlint.files.read_limits import FILE_BYTES
from trainlint.files.text_source import regular_bytes
from trainlint.model.target import Gpu
from trainlint.settings.settings import Settings
from trainlint.settings.settings_file import line_of

StepKey = tuple[str, int, int, int, bool]
"""A step's key, its samples per GPU and per process, its pool, and whether cuDNN tries its algorithms."""


class Work(Struct, frozen=True):
    """A step's work: its kernels, those of forwards, and the seconds at the card's rates by class.

    Python calls those of forwards, whose seconds are `forward_classes`; `walked`: the tensors that its
    optimizers gather.
    """

    kernels: int
    forward: int
    classes: Mapping[str, float] = field(default_factory=dict)
    forward_classes: Mapping[str, float] = field(default_factory=dict)
    walked: int = 0


class MeasuredRow(Struct, frozen=True):
    """What counts of one line; `limit` bytes were all that torch might have (None: the card's)."""

    card: str
    key: str
    batch: int
    total: int
    outcome: str
    benchmark: bool
    pool: int = 0
    limit: int | None = None
    seconds: float | None = None
    gpus: tuple[Mapping[str, Any], ...] = ()
    work: Work | None = None

    @property
    def step(self) -> StepKey:
        """Which step it is of."""
        return self.key, self.batch, self.total, self.pool, self.benchmark

    @property
    def context(self) -> int | None:
        """Bytes of its CUDA context; None where the driver did not say."""
        read = next(iter(self.gpus), {}).get("measured") or {}
        smi, reserved = read.get("smi"), read.get("reserved")
        return smi - reserved if isinstance(smi, int) and isinstance(reserved, int) else None


class OwnCard(Struct, frozen=True):
    """A card as its rows show it: `steps` by what was run, `ran` whether that had enough memory."""

    rows: tuple[MeasuredRow, ...] = ()
    contexts: tuple[int, ...] = ()
    steps: Mapping[StepKey, float] = field(default_factory=dict)
    ran: Mapping[StepKey, bool] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """Say how much was measured; "" for nothing."""
        count = len(self.rows)
        return f"{count} run{'s' * (count != 1)} measured on this card" if count else ""


NOT_MEASURED: Final = OwnCard()
"""Of a card that was never measured."""
_read: dict[tuple[Path, int, int], tuple[MeasuredRow, ...]] = {}


def own_card(settings: Settings, gpu: Gpu | None) -> OwnCard:
    """Return what the user's rows say of a card. Raises UsageError for a file or line that is none."""
    try:
        rows = [row for file in settings.calibration for row in _rows(file)]
    except UsageError as error:
        raise UsageError(f"{line_of(settings, 'calibration')}{error}") from None
    mine = [row for row in rows if gpu is not None and row.card == gpu.name and row.limit is None]
    return _card(mine) if mine else NOT_MEASURED


def _card(rows: Sequence[MeasuredRow]) -> OwnCard:

    from statistics import median  # noqa: PLC0415  # slow, and few cards were measured

    from trainlint.measuring.gpu_reading import OUT_OF_MEMORY  # noqa: PLC0415  # as above

    times: defaultdict[StepKey, list[float]] = defaultdict(list)
    ran: dict[StepKey, bool] = {}
    for row in rows:
        if row.seconds:
            times[row.step].append(row.seconds)
        ran[row.step] = row.outcome != OUT_OF_MEMORY or ran.get(row.step, False)
    return OwnCard(
        rows=tuple(rows),
        contexts=tuple(row.context for row in rows if row.context is not None),
        steps={step: median(seconds) for step, seconds in times.items()},
        ran=ran,
    )


def _rows(file: Path) -> tuple[MeasuredRow, ...]:
    """Return a file's lines, read once as long as it is the same."""
    try:
        state = file.stat()
        name = (file.absolute(), state.st_mtime_ns, state.st_size)
        if name not in _read:
            text = regular_bytes(str(file), FILE_BYTES).decode("utf-8")
            lines = [line for line in enumerate(text.splitlines(), 1) if line[1].strip()]
            _read[name] = tuple(_row(file, number, line) for number, line in lines)
        return _read[name]
    except (OSError, UnreadableError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f'cannot read the calibration "{file}": {reason.lower()}') from None


def _row(file: Path, number: int, line: str) -> MeasuredRow:
    try:
        row = msgspec.json.decode(line, type=MeasuredRow)
    except msgspec.DecodeError as error:
        why = str(error).replace("`", '"')
        raise UsageError(f"{file}:{number}: expected a line that trainlint measure wrote: {why}") from None
    if row.seconds is not None and not row.seconds > 0:
        raise UsageError(f'{file}:{number}: "seconds" is {row.seconds}, expected a number above 0')
    return row
