# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files for clusters hold training commands: each is read, at its place."""

from __future__ import annotations

import pytest

from trainlint.documents.file_format import read
from trainlint.model.document import Source

SKY = """\
resources:
  accelerators: A100:8
setup: |
  pip install timm
run: |
  cd repo
  torchrun --nproc_per_node=8 \\
    train.py --batch-size 4
"""
KUBEFLOW = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
spec:
  pytorchReplicaSpecs:
    Master:
      template:
        spec:
          containers:
            - name: pytorch
              command: [torchrun, --nproc_per_node=8, train.py]
              args: ["--batch-size", "4"]
"""
SHELL = """\
apiVersion: batch/v1
kind: Job
spec:
  template:
    spec:
      containers:
        - command: ["sh", "-c", "cd repo && torchrun --nproc_per_node=8 train.py --batch-size 4"]
"""


@pytest.mark.parametrize("text", [SKY, KUBEFLOW, SHELL])
def test_a_command_is_found_at_its_place(text):
    (document,) = read(Source("job.yaml", text))
    assert document.value["batch_size"] == "4"
    assert document.value["@launcher"]["nproc_per_node"] == "8"
    span = document.places["batch_size",].value
    assert text[span.start : span.end] == "4"


def test_two_containers_are_two_commands():
    more = "            - {name: b, command: [python, train.py], args: [--lr, '1']}\n"
    assert len(read(Source("job.yaml", KUBEFLOW + more))) == 2


@pytest.mark.parametrize(
    "text",
    [
        "run: |\n  python train.py --a 1\n",  # some other program's
        "apiVersion: v1\nkind: Service\nspec: {ports: [80]}\n",
        "resources: {cpus: 2}\nrun: |\n  python serve.py\n",
        "apiVersion: v1\nkind: Pod\nspec: {containers: [{command: [sleep, 10]}]}\n",
        "resources: {}\nrun: |\n",
    ],
)
def test_what_runs_no_training_stays_a_config(text):
    (document,) = read(Source("job.yaml", text))
    assert document.format == "yaml"
