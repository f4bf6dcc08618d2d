# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Names of rules: `spec.*` (the vocabulary), target, facts, command, start, install, env, data, `doc.*`."""

from __future__ import annotations

from collections.abc import Mapping

from trainlint.errors import most_alike
from trainlint.model.spec import VOCABULARY

TARGET: Mapping[str, str] = {
    "name": "string",
    "gpu": "string",  # the card's title
    "gpu_count": "integer",
    "gpu_memory": "integer",  # bytes that torch sees
    "compute_capability": "float",
    "bf16_native": "boolean",
    "cpu_cores": "integer",
    "ram": "integer",
    "shm": "integer",
    "disk": "integer",
    "session_h": "float",
    "session_budget_h": "float",
    "weekly_h": "float",
    "sessions": "string",  # "one" or "many", where the user says in how many a run may be done
    "torch": "string",
    "cuda": "string",
    "broken": "string",
}
"""`target.<name>` -> type; a limit the machine does not have is absent."""

FACTS: Mapping[str, str] = {
    "memory.allocated": "integer",  # of the fullest GPU, the largest stage
    "memory.least": "integer",
    "memory.expect": "integer",
    "memory.worst": "integer",
    "memory.capacity": "integer",
    "memory.context": "integer",
    "memory.context_low": "integer",  # the least and the most that it may be; absent where nothing is known
    "memory.context_high": "integer",
    "memory.context_basis": "string",  # where the figure is from
    "memory.saved_per_sample": "integer",
    "memory.largest_batch": "integer",
    "memory.safe_batch": "integer",
    "memory.largest_open": "boolean",  # a larger batch may fit too, of which there is no tape
    "memory.uneven": "boolean",  # it does not grow evenly with the batch: only those of a tape are known
    "memory.expandable": "integer",  # least with expandable segments, where only fragmentation breaks it
    "memory.uncounted": "string",  # terms that the figures leave out; absent where there are none
    "memory.unbroken": "integer",  # least without fragmentation, where only that is above the card
    "memory.peak_phase": "string",
    "memory.stage": "integer",  # number of the stage that needs the largest card; absent without stages
    "memory.stage_crop": "integer",
    "memory.stage_batch": "integer",
    "memory.largest_tensor": "integer",  # the largest one alive at the peak
    "memory.largest_at": "string",  # the module that made it
    "memory.others": "integer",  # of those no larger than the card, where one at the peak is
    "memory.validation.largest_tensor": "integer",
    "memory.validation.largest_at": "string",
    "memory.validation.others": "integer",
    "memory.validation.least": "integer",
    "memory.validation.expect": "integer",
    "memory.validation.worst": "integer",
    "memory.validation.height": "integer",  # of the image, as the network gets it
    "memory.validation.width": "integer",
    "memory.validation.tile": "integer",  # 0: in one piece
    "memory.validation.basis": "string",  # how the size is known
    "memory.certain": "integer",  # of a base model that is whole on one card, at the least
    "memory.certain_weights": "integer",  # of these its weights
    "memory.certain_words": "string",  # "weights", "weights and gradients" ...
    "time.step_seconds": "float",  # middle of the range
    "time.step_high": "float",
    "time.data_seconds": "float",  # of a step, waiting for the loader; from a log
    "time.loading_low": "float",  # seconds in which the host prepares a step's samples, as estimated
    "time.loading": "float",  # middle of the range
    "time.loading_high": "float",
    "time.loading_basis": "string",  # how the size of the images is known
    "time.loading_assumed": "boolean",  # it is not
    "time.loading_hours": "float",  # the most that the run takes if nothing but the loader sets its pace
    "time.session_steps": "integer",  # that surely fit into one session
    "time.behind": "integer",  # iterations that a resumed run has done; absent where nothing says
    "time.session_steps_most": "integer",  # that fit at the quick end of the estimate
    "time.hours_low": "float",
    "time.hours": "float",
    "time.hours_high": "float",
    "time.sessions_low": "integer",  # absent where a session ends before its first save
    "time.sessions_high": "integer",
    "time.basis": "string",
    "time.last_checkpoint": "integer",  # of the first session; 0: none; absent where one suffices
    "time.lost_hours": "float",
    "time.save_low": "float",  # hours from one save to the next
    "time.save": "float",
    "time.save_high": "float",
    "disk.per_checkpoint": "integer",
    "disk.checkpoints": "integer",
    "disk.total": "integer",
    "disk.least": "integer",  # that this run writes for certain, without what sessions before it have left
    "disk.images_least": "integer",  # validation images as PNG, by those of photographs
    "disk.images_most": "integer",  # validation images, uncompressed; absent where their number is not known
    "host.worker_processes": "integer",
    "host.ram": "integer",
    "host.shm": "integer",
    "host.validation_workers": "integer",
    "host.pinned": "integer",
    "host.mapped": "integer",  # a database (lmdb) of the training targets, by --data
}
"""`facts.<name>` -> type; the first word is the family whose absence has one reason."""

COMMAND: Mapping[str, str] = {
    "script": "string",
    "program": "list",  # the words before the script
    "launcher": "string",  # torchrun, torch.distributed.launch, accelerate ...
    "variables": "list",  # names that it, or a line before it in its file, puts into the environment
    "processes": "integer",  # that its launcher starts on this machine, where it says how many
    "visible": "integer",  # GPUs that CUDA_VISIBLE_DEVICES leaves, where it lists them
    "dashes": "boolean",  # the trainer's own source, where it is there, has --local-rank
    "asks_torch": "boolean",  # lines around it ask for torch's version, and run it with some alone
}
"""`command.<name>` -> type; only where the document is a command line."""

START: Mapping[str, str] = {
    "place": "string",  # README.md:12
    "script": "string",
    "opt": "string",  # the option file as the command names it
    "auto_resume": "boolean",
    "force_yml": "list",  # its words
    "namesakes": "list",  # other option files of the same folder that have the same name
}
"""`start.<name>` -> type: the command under which an option file is judged. A rule that points at one of them
first is about the command, and says so there where that is linted."""

INSTALL: Mapping[str, str] = {
    "torch": "list",  # {text, oldest, newest: [major, minor] or [], cuda: "12.8" or "", redirected}
}
"""`install.<name>` -> type: what the file of a command installs; with its first command only."""

ENV: Mapping[str, str] = {
    "torch": "list",  # {place, text, oldest, newest: [major, minor] or [], cuda: "12.8" or ""}
    "torchvision": "list",
    "basicsr": "list",
    "numpy": "list",
    "transformers": "list",
    "trl": "list",
    "peft": "list",
    "stated_torch": "list",  # [major, minor]: the newest that a README states as the one it was written with
    "functional_tensor": "string",  # what imports a module that the torchvision asked for may not have
}
"""`env.<name>` -> type: what the files around a job install; what they do not name is absent."""

DATA: Mapping[str, str] = {
    "pairs": "integer",  # of images whose headers were read
    "images": "integer",  # in the folder of targets
    "uneven": "integer",  # pairs of which one is not `scale` times the other
    "uneven_first": "string",  # the name of the first
    "targets": "integer",  # files in the targets' folder
    "inputs": "integer",
    "listed": "integer",  # targets by name
    "lacking": "integer",  # of which no input is there
    "lacking_first": "string",  # a file's name, or "line 3" of a list: its content is not quoted
    "state_lacks": "list",  # keys that the trainer reads of a training state and that are not in it
    "short": "string",  # the key of an LMDB that has fewer entries than its list has names
    "short_of": "integer",  # how many fewer
    "image": "list",  # height and width of the largest image that validation or a test gets
    "smallest": "integer",  # the shortest side of a target, in pixels
    "pixels": "integer",  # of a target on average, by the headers that were read
    "jpegs": "float",  # the share of them that are JPEG
    "empty": "string",  # folders without a file, where nothing else is known
    "unlisted": "string",  # folders, lists and weights that were not read to their end, and why
    "database": "integer",  # bytes of the database (lmdb) that the targets are in
    "samples": "integer",  # of an epoch, as the trainer counts them
    "texts": "integer",  # samples of the files that a language model is trained on
    "tokens": "list",  # of each of them, or of some, fewest first: of its own words, without a template's
    "tokens_lacking": "list",  # tokens that the config names and the tokenizer has not
    "repeated": "integer",  # folders NUMBER_NAME, whose images sd-scripts sees NUMBER times an epoch
    "unread": "integer",  # images with a text of another suffix than the one that is read
    "unread_suffix": "string",  # which
    "bare": "integer",  # images without any text
    "weights_keys": "list",  # dictionaries in the file of the pretrained generator
    "weights_are": "string",  # what torch.load stops at: a pointer of Git LFS, a web page, safetensors
    "weights_window": "integer",  # the window of its attention
}
"""`data.<name>` -> type: what a look at data and weights found (--data)."""

NAMES: Mapping[str, str] = {
    **{f"spec.{name}": kind for name, kind in VOCABULARY.items()},
    **{f"target.{name}": kind for name, kind in TARGET.items()},
    **{f"facts.{name}": kind for name, kind in FACTS.items()},
    **{f"command.{name}": kind for name, kind in COMMAND.items()},
    **{f"start.{name}": kind for name, kind in START.items()},
    **{f"install.{name}": kind for name, kind in INSTALL.items()},
    **{f"env.{name}": kind for name, kind in ENV.items()},
    **{f"data.{name}": kind for name, kind in DATA.items()},
    "job.file_scale": "integer",  # the factor that the file's name says, 0 where it says none
    "job.name_scale": "integer",  # the factor that the run's name says
    "job.identified": "boolean",  # the trainer's own source is there, or the user named it
    "job.named": "boolean",  # the user named the trainer: it is the published one
    "job.takes_cpu": "boolean",  # a line of the trainer's source has it train on the CPU
    "job.hides_gpus": "boolean",  # for all that is known CUDA shows it those of gpu_ids alone
    "job.lies_with_tests": "boolean",  # the file's folder is named after tests
    "job.reads_stages": "boolean",  # the trainer's own source has mini_batch_sizes, or is not there
    "job.reads_safetensors": "boolean",  # the trainer's own source mentions safetensors
    "job.splits_by_val_size": "boolean",  # the trainer's own source has that argument, or is not there
    "job.verifies_buckets": "boolean",  # its own source asks for whole buckets, or is not there
    "job.own_networks": "list",  # architectures that the repository around it defines otherwise
    "job.own_step": "boolean",  # the repository around it has a training step that is not the published one
    "job.own_feed": "boolean",  # and its model class may train on other samples
    "job.in_prose": "boolean",  # a command or config on a page that is written for others to read
    "job.tests": "boolean",  # an option file without a train section
    "job.variant": "string",  # which of several readings of the document this is; "" where there is one
}
"""Every checked name; `doc.<path>` reaches a document's own keys and is checked at run time only."""

ALWAYS_KNOWN = ("spec.dialect", "job.variant")
"""Names a rule may use without requiring them."""


def kind_of(name: str) -> str | None:
    """Return the declared type of a name, `any` for a document's own key, None for an unknown one."""
    return "any" if name.startswith("doc.") else NAMES.get(name)


def meant_field(name: str) -> str:
    """Say which field is meant by a name as `trainlint spec` prints it; "" where it is none."""
    return f'; did you mean "spec.{name}"?' if f"spec.{name}" in NAMES else ""


def unknown(name: str) -> str:
    """Say what may be meant by a name that there is none of."""
    above = name.rpartition(".")[0]
    while above and above not in NAMES:
        above = above.rpartition(".")[0]
    if above:
        key = name.removeprefix(f"{above}.")
        part = f'(where it may lack the part, "\'{key}\' in {above}" in "when")'
        return (
            f'; "{above}" is one name, whose parts an expression takes: '
            f'expected "{above}" {part}, or the config\'s own key, doc.KEY'
        )
    near = most_alike(name, NAMES)
    return f'; did you mean "{near}"?' if near else "; a key of the config itself is doc.KEY"
