# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint init NET.PY`: a job with what the file says, and what is left to fill in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from trainlint.cli.console import say, write
from trainlint.errors import UnreadableError, UsageError
from trainlint.files.text_source import load_source
from trainlint.report.style import printable
from trainlint.repository.survey.training_script import TrainingScript, read_script

JOB = "job.yml"
REQUIRED_KEYS = {
    "input": "one sample without the batch: [channels, height, width]; of a language model [tokens]",
    "batch": "samples per GPU and step",
}
"""Keys that a job has to have, and what they are."""
OPTIONAL_KEYS = {
    "loss": "mse, l1, smooth-l1, bce or cross-entropy; mse when absent",
    "optimizer": "a class of torch.optim; AdamW when absent",
    "precision": "fp32, fp16 or bf16; fp32 when absent",
    "epochs": "or iterations: with images, how long the run is",
    "images": "samples in the training set",
    "workers": "DataLoader workers per GPU",
}
"""Keys that a job may have."""


@click.command("init")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Where to write the job."
)
def init_command(file: str, output: Path | None) -> int:
    """Write a job.yml next to FILE, a network or a training script, with what can be read from it."""
    try:
        script = read_script(load_source(file).text)
    except (UnreadableError, SyntaxError) as error:
        raise UsageError(f'"{file}" cannot be read as Python: {error}') from None
    module = Path(file).stem
    if not script.networks:
        module, script = _imported(Path(file), script)
    if not script.networks:
        raise UsageError(f'"{file}" has no network: expected a class derived from nn.Module with a forward')
    path = output or Path(file).with_name(JOB)
    if path.exists():
        raise UsageError(f'"{path}" already exists: name another file with --output')
    if not all(part.isidentifier() for part in module.split(".")):
        raise UsageError(
            f'"{Path(file).name}" cannot be imported by that name: expected a name such as net.py'
        )
    write(job_text(Path(file), module, script), path)
    missing = [key for key in REQUIRED_KEYS if key not in script.keys]
    say(printable(f"wrote {path} for {script.networks[0]}; fill in: {', '.join(missing) or 'nothing'}"))
    if others := script.networks[1:]:
        say(printable(f"other networks in {file}: {', '.join(others)}"))
    say(
        printable(
            f"then: trainlint {path} -t NAME --python python3   "
            f"(an interpreter that has torch and can import {module})"
        )
    )
    return 0


def _imported(file: Path, script: TrainingScript) -> tuple[str, TrainingScript]:
    """Return the module next to a script that has the network it builds, and the script with that network."""
    for name, module in script.imported.items():
        path = file.with_name(f"{module.replace('.', '/')}.py")
        if not path.is_file():
            continue
        try:
            imported = read_script(load_source(str(path)).text)
        except (UnreadableError, SyntaxError):
            continue
        if name in imported.networks:
            channels = imported.channels if name == imported.networks[0] else None
            return module, replace(script, networks=(name,), channels=channels)
    return file.stem, script


def job_text(file: Path, module: str, script: TrainingScript) -> str:
    """Return the job: what was read with its line, what has to be filled in as a comment."""
    lines = [
        f"# Written by trainlint init from {printable(file.name)}; docs/native.md has every key.",
        "trainlint: 1",
        f"model: {module}:{script.networks[0]}",
    ]
    for key, meaning in REQUIRED_KEYS.items():
        if key in script.keys:
            lines.append(f"{key}: {script.keys[key]}  # {file.name}:{script.lines[key]}")
            continue
        shape = f" [{script.channels}, HEIGHT, WIDTH]" if key == "input" and script.channels else ""
        lines.append(f"# {key}:{shape}  # fill in: {meaning}")
    for key, meaning in OPTIONAL_KEYS.items():
        if key in script.keys:
            lines.append(f"{key}: {script.keys[key]}  # {file.name}:{script.lines[key]}")
        else:
            lines.append(f"# {key}:  # {meaning}")
    return "\n".join(lines) + "\n"
