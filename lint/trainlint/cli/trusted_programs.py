# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Programs that `trainlint trace` runs dry unasked: those in folders that the user's own settings trust."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from trainlint.documents.file_format import is_option_file
from trainlint.dry_run.dry_run import Asked, pipeline_of, record
from trainlint.dry_run.keeping.kept_runs import stored
from trainlint.dry_run.rehearsing.merged_recordings import merged
from trainlint.dry_run.starting.known_command import command_for
from trainlint.dry_run.starting.typed_command import program_of
from trainlint.errors import UsageError
from trainlint.files.safe_open import is_file
from trainlint.model.result import Result
from trainlint.pipeline.pipeline import Pipeline
from trainlint.session.chosen_tapes import projects_store
from trainlint.settings.settings import Settings

Said = Callable[[str], None]


def run_dry(
    results: Sequence[Result], base: Pipeline, settings: Settings, progress: Said, complain: Said
) -> Iterator[tuple[str, Path]]:
    """Run the programs of configs whose memory is not known; yield each config with every profile it gave."""
    unknown = [
        result.path for result in results if result.facts is not None and "memory" in result.facts.missing
    ]
    for config in dict.fromkeys(unknown):
        if not (is_option_file(config) and is_file(config) and settings.trusts(Path(config))):
            continue
        try:
            words, folder = command_for(config, base)
            if all(settings.trusts(place) for place in (folder, *map(folder.joinpath, words))):
                asked = Asked(program_of(words, settings.python), folder, config=config)
                profiles = _stored(asked, base, settings, progress)
                if not profiles:
                    complain(f"{config}: its program came to no step: trainlint dry-run {config} says why")
                yield from ((config, profile) for profile in profiles)
        except UsageError as error:
            complain(f"{config}: {error}")


def _stored(asked: Asked, base: Pipeline, settings: Settings, progress: Said) -> tuple[Path, ...]:
    targets = [target for target in base.targets if target is not None]
    recorded = record(asked, targets, merged, progress)
    return tuple(stored(pipeline_of(base, settings, asked, recorded), projects_store(settings)))
