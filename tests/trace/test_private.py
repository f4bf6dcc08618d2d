# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""torch's private names are in trace/torch_private.py, those that a dry run needs in its own list, and in no
other file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from trainlint.shipped.resource_paths import PACKAGE

LINT = PACKAGE.parent
PRIVATE = (PACKAGE / "trace" / "torch_private.py", PACKAGE / "trace" / "dry_run" / "torch_names.py")
OTHERS = {"_getframe", "_make", "_asdict", "_replace", "_fields", "_exit", "_L2_CACHE_SIZE"}
"""Private names of Python itself (sys, os, named tuples) and of timm."""
ALLOWED = {
    "bench/references/memtracker.py": ["_tools"],  # torch's own tracker, which is compared with ours
    "lint/trainlint_zoo/transformers/recipes/adapters.py": [
        "_register_custom_module"
    ],  # as PEFT's guide has it
    "bench/step_times/host_costs.py": ["_python_dispatch"],  # as torch's own notes on dispatch modes have it
    "bench/references/checkpoint_bytes.py": ["_files"],  # ours, watched while it runs
    "bench/tables/timm_names.py": ["_deprecated_models"],  # timm's: no other list has them
    "lint/trainlint/trace/dry_run/samples/loaders.py": [
        "_dataset"
    ],  # of a loader's iterator, which has it nowhere else
}
OWN = {"self", "cls"}
MODULE = re.compile(r"torch(\.\w+)*\._[a-z]\w*(\.\w+)*")
"""A private module of torch, or a name in one, as text: what sys.modules and import_module are asked for."""
SEARCHED = sorted(
    path
    for folder in (PACKAGE / "trace", LINT / "trainlint_zoo", LINT.parent / "bench")
    for path in folder.rglob("*.py")
    if path not in PRIVATE
)  # fmt: skip


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def used(tree: ast.AST) -> Iterator[str]:
    """Yield the private names that a file imports from elsewhere, or asks something else than itself for."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.partition(".")[0] == "torch":
                yield from (part for part in module.split(".") if private(part))
                yield from (alias.name for alias in names if private(alias.name))
            case ast.Import(names=names):
                yield from (alias.name for alias in names if "._" in alias.name)
            case ast.Attribute(value=ast.Name(id=name)) if name in OWN:
                pass
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
                pass
            case ast.Attribute(attr=attr) if private(attr) and attr not in OTHERS:
                yield attr
            case ast.Constant(value=str(text)) if MODULE.fullmatch(text):
                yield text
            case (
                ast.Call(ast.Name("getattr" | "setattr" | "hasattr"), [_, ast.Constant(str(attr)), *_])
                | ast.Call(ast.Name("attrgetter" | "methodcaller"), [ast.Constant(str(attr)), *_])
                | ast.Call(ast.Attribute(attr="object"), [_, ast.Constant(str(attr)), *_])
            ):
                yield from [attr] * (private(attr) and attr not in OTHERS)


@pytest.mark.parametrize(
    "text",
    [
        "from torch._C import TensorBase", "from torch.utils import _pytree", "import torch._prims_common",
        "torch._C._current_graph_task_id()", "tensor.untyped_storage()._cdata", "func._schema.name",
        "torch._foreach_add_(a, b)", "getattr(torch, '_C')", "patch.object(checkpoint, '_infer_device_type')",
        "attrgetter('_cdata')", "sys.modules['torch._dynamo']", "import_module('torch.utils._foreach_utils')",
    ],
)  # fmt: skip
def test_a_private_name_is_found_however_it_is_used(text):
    assert list(used(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "self._modules[name]",
        "super()._load(batch)",
        "sys._getframe(1)",
        "row._replace(key=1)",
        "'_foreach_norm'",
        "'torch.utils.checkpoint'",
        "x.__class__",
    ],
)  # fmt: skip
def test_names_of_ones_own_are_none_of_torchs(text):
    assert not list(used(ast.parse(text)))


def test_no_other_file_uses_a_private_name_of_torch():
    found = {
        path.relative_to(LINT.parent).as_posix(): names
        for path in SEARCHED
        if (names := sorted(set(used(ast.parse(path.read_text(encoding="utf-8"))))))
    }
    assert found == ALLOWED
    assert len(SEARCHED) > 200
