# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Draws the blueprints of language models' steps that travel in the wheel.

    python -m bench blueprints               draw what is missing or outdated; may be stopped
    python -m bench blueprints --only TEXT   only those whose name has this text, or one of several
    python -m bench blueprints --check       draw nothing, exit 1 and name what is missing

A blueprint holds for every model whose layers are alike, so that one model of each kind is enough here; the
settings are those that users of LLaMA-Factory, axolotl and TRL write most. What these leave open (a version
of bitsandbytes) is drawn too. Needs torch, transformers and peft; a reading takes some fifteen seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from bench.commands import parser_of
from bench.profiles.build import PROFILES
from bench.profiles.language_models import AXOLOTL_KEYS, FACTORY_KEYS, MODELS, SETTINGS
from trainlint.documents.file_format import read
from trainlint.errors import CannotTraceError
from trainlint.estimate.tapes.stored_profiles import BLUEPRINT_SUFFIX, Store
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.files.text_source import source_of
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings
from trainlint.tape import Tape


def jobs() -> Iterator[tuple[str, dict[str, Any], tuple[str, ...]]]:
    """Yield (name, config, targets) of what is drawn, the commonest settings of all models first."""
    for setting, (config, targets) in SETTINGS.items():
        base, batch = AXOLOTL_KEYS if "datasets" in config else FACTORY_KEYS
        for model, name in MODELS.items():
            for samples in (1, 2):
                yield f"{model} {setting} {samples}", {**config, base: name, batch: samples}, targets


class _Drawn(TapeSource):
    """Draws blueprints and traces no whole model."""

    def _traced(self, step: Mapping[str, Any], key: str, batch: int) -> Tape:
        del key, batch
        raise CannotTraceError(f"no blueprint of {step['recipe']} could be drawn")


def judged(
    config: Mapping[str, Any], targets: tuple[str, ...], store: Store, *, may_trace: bool
) -> list[str]:
    """Judge a config, for one sample and for several; return why readings of it have no memory."""
    settings = Settings(target=targets)
    tapes = _Drawn((store,), save_to=store if may_trace else None, may_trace=may_trace)
    pipeline = pipeline_for(settings, tapes)
    (document,) = read(source_of(yaml.safe_dump(dict(config)).encode(), "config.yaml"))
    (target,) = pipeline.targets_of("config.yaml")
    placed = list(pipeline.readings(pipeline.jobs(document), target))
    return [
        why
        for result in pipeline.judge.judge_all(placed)
        if result.facts is None or result.facts.memory is None
        for name, why in (result.facts.missing if result.facts else {"memory": "no facts"}).items()
        if name.startswith("memory")
    ]


def main() -> int:
    """Draw, or check."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="*", default=[""], help="only what has such a text in its name")
    parser.add_argument("--check", action="store_true", help="draw nothing")
    given, store, missing = parser.parse_args(), Store(PROFILES, "shipped"), 0
    for name, config, targets in jobs():
        if not any(text in name for text in given.only):
            continue
        begun, before = time.process_time(), len(_stored(store))
        why = judged(config, targets, store, may_trace=not given.check)
        missing += bool(why)
        new = len(_stored(store)) - before
        if why or new:
            took = f"{time.process_time() - begun:.0f} s"
            print(f"{name}: {new} new, {took}; {'; '.join(dict.fromkeys(why))}", flush=True)
    sizes = [path.stat().st_size for path in _stored(store)]
    print(f"{len(sizes)} blueprints, {sum(sizes) / 1000:.0f} kB")
    return 1 if given.check and missing else 0


def _stored(store: Store) -> list[Path]:
    return sorted(store.folder.glob(f"*{BLUEPRINT_SUFFIX}"))
