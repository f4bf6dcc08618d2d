"""A job: one document in one dialect (and one variant of it), ready to be judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.read.document import Document, Path
from trainlint.spec import TrainSpec

if TYPE_CHECKING:
    from trainlint.normalise.dialect import Dialect


@dataclass(frozen=True, slots=True)
class Problem:
    """What the schema, the reader or a network's signature has to say about one value.

    `rule` names the rule file that carries level and explanation (missing-key, unknown-key, wrong-type,
    wrong-value, duplicate-key, number-as-string, unused-key, network-arguments); `path` the value meant
    (the enclosing mapping for a missing key); `suggestion` the likely intended key or value, if sure;
    `harmless` says that the trainer goes on whatever the value is.
    """

    rule: str
    message: str
    path: Path
    on_key: bool = False
    suggestion: str | None = None
    harmless: bool = False


@dataclass(frozen=True)
class Job:
    """What normalise hands on: the spec, what is wrong with the document, and which reading of it this is.

    `skip` is why there is nothing to judge (an option file that only tests), None for a training job.
    """

    document: Document
    dialect: Dialect
    spec: TrainSpec
    problems: tuple[Problem, ...] = ()
    variant: str | None = None
    skip: str | None = None
