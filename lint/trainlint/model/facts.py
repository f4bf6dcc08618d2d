# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Facts: what the run needs, worked out for one target. One that could not be had is None, with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from trainlint.postponed import Postponed

if TYPE_CHECKING:  # another interpreter that traces has these facts, and no hardware
    from trainlint.model.target import Context
    from trainlint.tape import Network

WORST_SHARE: Final = 1.09
"""`worst` as a share of `expect`, where cuDNN's trials take no more: 99 of 100 measured runs stayed below.

bench/accuracy/sources.py has the rule, and the page how many do in sources that it was not chosen on
(docs/accuracy.md).
"""

Range = tuple[float, float, float]
"""Low, middle, high."""

GIVEN: Final = "given"
LOG: Final = "log"
"""The bases of a time that was measured, on the target's card for all that is known."""
ESTIMATED: Final = "roofline"
"""The basis of a time that was not measured."""
ASSUMED_IMAGES: Final = "assumed on no more images than training has (--validation-images N)"
"""What a time rests on where validation is of the same data, and how much of it is not said."""

Sessions = tuple[int | None, int | None, int | None]
"""How many, low, middle and high; None where a session ends before its first save: no number is enough."""


class GpuMemory(Struct, frozen=True):
    """One GPU's memory in bytes; design: allocated < least <= expect <= worst, against capacity."""

    allocated: int
    least: int
    expect: int
    worst: int
    context: int
    capacity: int
    expandable: int | None = None  # least with expandable segments, where that fits and `least` does not
    unbroken: int | None = None  # the same wherever tensors alone fit and least does not


class CropStage(Struct, frozen=True):
    """A stage of progressive training, counted from 1: its crop and batch per GPU, its figures on GPU 0."""

    number: int
    crop: int
    batch: int
    memory: GpuMemory


class Image(Struct, frozen=True):
    """The network's input at validation in pixels, and how its size is known.

    `tile`: side of the tiles in which it is computed (0: in one piece), `overlap` of neighbouring ones.
    `sampled`: it is made from noise, and how (`sampling` of a spec).
    """

    height: int
    width: int
    basis: str
    tile: int = 0
    overlap: int = 0
    sampled: tuple[tuple[str, str | bool], ...] = ()


class NamedTensor(Struct, frozen=True):
    """A tensor with its name: its bytes, kind (estimate/tensors/tensor_kind.py), and which module made it.

    `others`: the bytes of the moment's tensors that the card could hold, where it could not hold this one.
    """

    size: int
    kind: str
    owner: str
    others: int = 0


class Library(Struct, frozen=True):
    """The library whose version decided networks and sizes; `pin` is what the files around the job ask for.

    `agrees` is False where that, or what is installed, is another version; None where none is asked for.
    """

    name: str
    version: str
    pin: str = ""
    agrees: bool | None = None


class LargestBatch(Struct, frozen=True):
    """The largest batch that fits, as the config would hold it: key, value there, samples in a step."""

    key: str
    value: int
    samples: int


class Limits(Struct, frozen=True):
    """How large the batch may be, by memory alone."""

    largest_batch: int = 0  # samples on the fullest GPU that fit; 0: none that is known
    largest_open: bool = False  # a larger batch may fit, of which there is no tape
    safe_batch: int = 0  # of these the most whose `worst` is no more than the card; those above are tight
    uneven: bool = False  # memory does not grow evenly with the batch: only those of a tape are known
    batch: LargestBatch | None = None  # largest_batch as the config would write it
    safe: LargestBatch | None = None  # safe_batch as the config would write it


EFFECTS: Final = {
    "more": "adds memory",
    "less": "saves memory",
    "unknown": "may add memory or save it",
}
"""A term's direction in words."""


class ModelBytes(Struct, frozen=True):
    """Bytes of a base model that are on one card at once, at the least, where all of it is on one card.

    `parted`: how the job is started may part it over several.
    """

    weights: int
    gradients: int = 0
    states: int = 0
    parted: bool = False

    @property
    def total(self) -> int:
        """All of them."""
        return self.weights + self.gradients + self.states

    @property
    def words(self) -> str:
        """What they are: "weights", "weights and gradients"."""
        if self.states:
            return "weights, gradients and optimizer states"
        return "weights and gradients" if self.gradients else "weights"


class Uncounted(Struct, frozen=True):
    """A term of memory that the figures leave out; `direction` is one of spec.DIRECTIONS.

    `only` is "validation" for what leaves training as it is. `share` is how much of the whole it was seen to
    be, 0 where that is not known. `bound`: it only ever saves, and a step takes no longer with it.
    `keeps`: what stays on the card all the same, "weights", or "states" with gradients and weights.
    """

    what: str
    direction: str
    only: str = ""
    share: float = 0.0
    bound: bool = False
    keeps: str = ""

    @property
    def words(self) -> str:
        """Say that it is not counted, and what it does."""
        return f"{self.what} is not counted and {EFFECTS[self.direction]}"


class Memory(Struct, frozen=True):
    """Memory of the run; `parts` (estimate/tensors/tensor_kind.py) sum to the first GPU's allocated.

    `belongings` are the same bytes by what they belong to: a network's role, optimizer, ema, queue, inputs.
    `overhead` (estimate/memory/overhead.py) is what lies between them and the first GPU's expect.
    """

    gpus: tuple[GpuMemory, ...]
    parts: Mapping[str, int]
    saved_per_sample: int
    peak_phase: str
    stages: tuple[CropStage, ...] = ()
    validation: GpuMemory | None = None
    image: Image | None = None  # what `validation` was worked out for
    limits: Limits | Postponed[Limits] = Limits()  # half of all the time goes into them
    belongings: Mapping[str, int] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)  # why stages or validation could not be had
    overhead: Mapping[str, int] = field(default_factory=dict)
    largest: NamedTensor | None = None  # alive at the first GPU's peak
    short: NamedTensor | None = None  # the first that finds no room there, even if nothing were cached
    validation_parts: Mapping[str, int] = field(default_factory=dict)  # of validation's allocated
    validation_largest: NamedTensor | None = None
    validation_short: NamedTensor | None = None
    uncounted: tuple[Uncounted, ...] = ()
    library: Library | None = None
    replayed: Mapping[tuple[str, int], int] = field(default_factory=dict)  # events by tape and samples
    source: str = "traced"  # where its tapes are from: the first of tape.SOURCES that one of them has
    context: Context | None = None  # how sure its context is
    measured: str = ""  # the user's own measurements that decide it, in words

    @property
    def known_limits(self) -> Limits:
        """How large the batch may be."""
        return self.limits.value if isinstance(self.limits, Postponed) else self.limits

    @property
    def largest_batch(self) -> int:
        """Of its limits."""
        return self.known_limits.largest_batch

    @property
    def largest_open(self) -> bool:
        """Of its limits."""
        return self.known_limits.largest_open

    @property
    def safe_batch(self) -> int:
        """Of its limits."""
        return self.known_limits.safe_batch

    @property
    def uneven(self) -> bool:
        """Of its limits."""
        return self.known_limits.uneven

    @property
    def batch(self) -> LargestBatch | None:
        """Of its limits."""
        return self.known_limits.batch

    @property
    def safe(self) -> LargestBatch | None:
        """Of its limits."""
        return self.known_limits.safe

    @property
    def open(self) -> tuple[Uncounted, ...]:
        """The terms that training's figures leave out."""
        return tuple(term for term in self.uncounted if not term.only)

    @property
    def exceeds(self) -> bool:
        """Whether training needs more than its card has, the allocator's waste aside."""
        every = (*self.gpus, *(stage.memory for stage in self.stages))
        return any(gpu.least > gpu.capacity and gpu.expandable is None for gpu in every)


class Loading(Struct, frozen=True):
    """Seconds in which the host prepares one step's samples, and how the images are known.

    `assumed`: their size is not known, so that the range holds the smallest and the largest that are usual.
    `cores_known`: whether the machine's are; where not, the range holds few and as many as there are workers.
    """

    seconds: Range
    basis: str
    assumed: bool = False
    cores_known: bool = True


class Time(Struct, frozen=True):
    """Duration of the run; `basis` is roofline, given, log, or a log of another card.

    `data_seconds`: those of a step that a log shows as spent waiting for the loader; `loading` is how long
    the loader takes by estimate, which is in no other figure.

    `total_hours` and `sessions` are None where the run's length is unknown; where its saves are, `sessions`
    are those that would do if none lost anything. For a run longer than the budget of a session:
    `last_checkpoint` is the iteration of the first one's last save (0: it ends before any, so the run never
    gets on), `lost_hours` the work after it.
    """

    step_seconds: Range
    total_hours: Range | None
    sessions: Sessions | None
    basis: str
    last_checkpoint: tuple[int, int, int] | None = None
    lost_hours: Range | None = None
    data_seconds: float | None = None
    save_hours: Range | None = None  # from one save to the next; None where the interval is not known
    classes: Mapping[str, float] = field(default_factory=dict)  # seconds of the step by class of kernels
    host_bound: bool | None = None  # starting the kernels takes longer than they run; None: not estimated
    image_seconds: Range | None = None  # the network on one validation image
    paced: Range | None = None  # seconds from step to step, validation and saves included
    validation_hours: Range | None = None  # in total_hours; None where the number of images is not known
    validation_assumed: bool = False  # of at most as many images as training has, as no number is given
    untimed: str | None = None  # why validation, of which the run has some, is not in total_hours
    saving_hours: Range | None = None  # in total_hours: writing checkpoints; None: not estimated
    start_hours: Range | None = None  # in total_hours: torch.compile at each start; None where there is none
    session_steps: int | None = None  # that surely fit into one session; None where it has no end
    session_steps_most: int | None = None  # that fit at the quick end
    behind: int | None = None  # iterations that a resumed run has done; None where nothing says
    loading: Loading | None = None  # None where it is measured with the step, or not known
    loading_hours: Range | None = None  # of the run, if nothing but the loader set its pace
    measured: str = ""  # the user's own measurements of the card that it is estimated by, in words
    thousand_hours: Range | None = None  # for each 1,000 samples, where their number is not known
    most_hours: float | None = (
        None  # by the most samples that the config takes, where their number is not known
    )
    samples: str = "images"  # what these are called


class Disk(Struct, frozen=True):
    """Bytes the run leaves behind: `checkpoints` x `per_checkpoint` + `final`.

    `final` is a last save under a name of its own (*_latest); `omits` names what is not in `total`.
    `images`: the least and the most that validation images take besides; None where that is not known.
    `files` are those of one save by name. `least` is what this run writes for certain, without what sessions
    before it have left; `most` is all that may be there besides logs and images, and `why` says what
    decides it.
    """

    per_checkpoint: int
    checkpoints: int
    total: int
    final: int = 0
    omits: tuple[str, ...] = ()
    images: tuple[int, int] | None = None
    logs: tuple[int, int] | None = (
        None  # text and TensorBoard besides; None where the trainer's are not known
    )
    files: Mapping[str, int] = field(default_factory=dict)
    most: int = 0
    least: int = 0
    why: str = ""


IMAGES = "disk.images_least"
"""What is missing of a disk where it is not known how much validation writes (Facts.missing)."""


class HostNeeds(Struct, frozen=True):
    """Processes and bytes on the host.

    `validation_workers` come on top of `worker_processes`; `pinned` and `loading` (a base model's weights on
    their way to the cards) are in `ram`, `mapped` (a database) is not.
    """

    worker_processes: int
    ram: int | None = None
    shm: int | None = None
    validation_workers: int = 0
    pinned: int | None = None
    mapped: int | None = None
    loading: int = 0


class Facts(Struct, frozen=True):
    """Everything estimated for one job on one target; `missing` says why a fact is None.

    `refused` is what a constructor or a forward said to the config, by the spec's field that holds it (in a
    list of entries with roles: "field:role"). `download`: bytes of a base model at the hub, at the least.
    `model`: what of it is on a card for certain; None where that may be parted over cards or lie on the host.
    """

    memory: Memory | None = None
    time: Time | None = None
    disk: Disk | None = None
    host: HostNeeds | None = None
    download: int | None = None
    model: ModelBytes | None = None
    networks: tuple[Network, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
