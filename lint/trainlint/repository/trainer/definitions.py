# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a repository's source defines: classes and functions with their digests, and what each leads to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, field

Node = Mapping[str, Any]

QUIET_FUNCTIONS: Final = (
    "get_root_logger", "calculate_metric", "imwrite", "tensor2img", "save", "save_network",
    "save_training_state", "get_current_log", "print_network", "setup_schedulers", "resume_training",
    "update_learning_rate", "_initialize_best_metric_results", "_update_best_metric_result",
    "_log_validation_metric_values", "_print_different_keys_loading", "random_add_gaussian_noise_pt",
    "random_add_poisson_noise_pt", "master_only", "get_dist_info", "get_current_learning_rate", "flops",
    "extra_repr", "__repr__", "no_weight_decay", "no_weight_decay_keywords",
    "define_scheduler", "load_optimizers", "load_optimizer", "save_optimizer", "current_log",
    "current_visuals", "current_results", "info_network", "info_params", "print_params", "describe_network",
    "describe_params", "define_G", "define_D",
)  # fmt: skip
"""Functions and methods that log, save, resume, count, set a rate or add noise: they do not shape a step.

With them those by which KAIR builds its networks, as they name all that it has.
"""


class BrokenFile(Struct, frozen=True):
    """A file with a class of this name that is no Python at `line`; `sure`: for no Python 3."""

    path: str
    name: str
    line: int
    why: str
    sure: bool


class Survey(Struct, frozen=True):
    """What a repository's source says: node ids by the name that was asked for, and the nodes behind them.

    `patches`: what is changed by an assignment elsewhere -> where. Nothing is known of that, nor of any step
    where `altered` says what is changed for all of them. `broken` is the file for which `error` is said.
    """

    places: Mapping[str, Sequence[str]]
    nodes: Mapping[str, Node]
    patches: Mapping[str, str] = field(default_factory=dict)
    altered: str | None = None
    error: str | None = None
    broken: BrokenFile | None = None

    def reached(self, key: str) -> Iterator[tuple[str, Node]]:
        """Yield a definition and all of the repository's own that it leads to, quiet ones left out."""
        seen, waiting = {key}, [key]
        while waiting:
            node = self.nodes[waiting[0]]
            yield waiting.pop(0), node
            methods = node.get("methods", {}).values()
            refs = [*node.get("refs", ()), *node.get("bases", ())]
            for ref in [*refs, *(ref for method in methods for ref in method["refs"])]:
                target = self.nodes[ref]
                if (
                    ref not in seen
                    and target["name"] not in QUIET_FUNCTIONS
                    and target["kind"] not in ("outside", "builtin")
                ):
                    seen.add(ref)
                    waiting.append(ref)

    def digest(self, node: Node) -> str:
        """Return one digest of a definition: a class's is made of its methods' and its bases' names."""
        if node["name"] in self.patches and node["kind"] in ("class", "function"):
            return "patched"
        if node["kind"] != "class":
            return str(node.get("digest", "unknown"))
        own = sorted(
            (name, m["digest"]) for name, m in node["methods"].items() if name not in QUIET_FUNCTIONS
        )
        bases = [self.nodes[base]["name"] for base in node["bases"]]
        text = repr((own, bases, node["strange"]))
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
