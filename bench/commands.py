# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The commands by name, and what each is for."""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path

COMMANDS = {
    "accuracy": "accuracy.runs",
    "accuracy_page": "accuracy.page",
    "advice": "reading.advice",
    "blueprints": "profiles.blueprints",
    "bodies": "tables.bodies",
    "call_signatures": "tables.call_signatures",
    "checkpoint_bytes": "references.checkpoint_bytes",
    "classifiers": "profiles.classifiers",
    "constants": "step_times.constants",
    "corpus": "corpus.lint",
    "crops": "profiles.crops",
    "digests": "corpus.digests",
    "dry_run_costs": "dry_run.costs",
    "dry_run_inputs": "dry_run.inputs",
    "dry_run_tables": "dry_run.tables",
    "dry_runs": "dry_run.runs",
    "edits": "reading.edits",
    "fails": "corpus.fails",
    "finetune": "finetune.language_models",
    "finetune_images": "finetune.image_models",
    "finetune_threads": "finetune.threads",
    "fits_page": "accuracy.fits_page",
    "fix_profiles": "profiles.fixed_jobs",
    "fork_inputs": "dry_run.fork_inputs",
    "fragmentation": "accuracy.fragmentation",
    "fuzz": "fuzz.run",
    "host_costs": "step_times.host_costs",
    "image_loading": "finetune.image_loading",
    "image_profiles": "profiles.image_models",
    "independent_times": "step_times.independent",
    "kill_fix": "fuzz.kill_fix",
    "key_uses": "tables.key_uses",
    "kohya_weights": "dry_run.kohya_weights",
    "lengths": "reading.lengths",
    "litgpt_weights": "dry_run.litgpt_weights",
    "loading": "step_times.loading",
    "measure_grid": "accuracy.measure_grid",
    "memtracker": "references.memtracker",
    "old_attention": "accuracy.old_attention",
    "own_runs": "finetune.own_runs",
    "own_ways": "planted.own_ways",
    "peaks": "references.peaks",
    "planted_errors": "planted.errors",
    "profiles": "profiles.build",
    "published_code": "tables.published_code",
    "published_functions": "tables.published_functions",
    "real_runs": "step_times.real_runs",
    "replay": "accuracy.replay",
    "several_cards": "step_times.several_cards",
    "smoke": "references.smoke",
    "spandrel_twins": "references.spandrel_twins",
    "speed": "speed.command",
    "speed_finetune": "speed.language_models",
    "step_time_rows": "step_times.rows",
    "step_times": "step_times.fit",
    "stored": "corpus.stored",
    "sweep": "speed.sweep",
    "systems": "references.systems",
    "timm_names": "tables.timm_names",
    "timm_scripts": "tables.timm_scripts",
    "timm_tapes": "accuracy.timm_tapes",
    "torch_signatures": "tables.torch_signatures",
    "warnings": "corpus.warnings_drawn",
    "words": "reading.words",
}
"""Name -> the module of this package whose `main` it runs."""


def documentation(name: str) -> str:
    """Return a command's docstring, without importing the module (some import torch)."""
    path = Path(__file__).parent.joinpath(*COMMANDS[name].split(".")).with_suffix(".py")
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """Return a command's parser: named as it was started, its module's docstring as it is written."""
    return argparse.ArgumentParser(
        prog=sys.argv[0], description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
