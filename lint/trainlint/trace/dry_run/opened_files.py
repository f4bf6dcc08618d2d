# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files: what the program loads and saves, without values: tensors on the imitated GPU have none.

Weights that are fetched, or lie where no file is, are taken as whatever fits: a sentinel that
`load_state_dict` accepts. A file that the program saves has its length worked out, and a small one with the
shapes is written.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from trainlint.tape import File
from trainlint.trace.dry_run.arrivals import Arrivals
from trainlint.trace.dry_run.doubts import Doubt
from trainlint.trace.dry_run.gpu.device_identity import GPU
from trainlint.trace.dry_run.gpu.moves import CPU, is_gpu
from trainlint.trace.dry_run.handled_errors import handles_missing_file
from trainlint.trace.dry_run.program_place import place_of, places_of
from trainlint.trace.dry_run.truth import TRUTH, on_meta, told
from trainlint.trace.recording.checkpoint_size import saved_bytes
from trainlint.trace.torch_private import LoadedKeys, address_of

MOVED = ("to", "cpu", "cuda", "float", "half", "bfloat16", "clone", "detach", "contiguous")
WEIGHTS = (".pth", ".pt", ".bin", ".ckpt", ".safetensors", ".pkl", ".tar")


class MissingWeightsError(RuntimeError):
    """Weights that are not there, of which the program reads more than whether they fit."""


class AnyWeights(dict):  # type: ignore[type-arg]  # generic since Python 3.9 alone
    """Weights that are not there: every entry is again some. `file` is where they should be."""

    def __init__(self, file: str = "") -> None:
        super().__init__()
        self.file = file

    def __missing__(self, _key: Any) -> AnyWeights:
        return AnyWeights(self.file)

    def get(self, key: Any, _default: Any = None) -> Any:
        """Return some weights, whatever is asked for."""
        return self[key]

    def __contains__(self, key: Any) -> bool:
        return isinstance(key, str)

    def __delitem__(self, _key: Any) -> None:
        """Have some weights less."""

    def pop(self, key: Any, *_default: Any) -> Any:
        """Return some weights, whatever is taken out."""
        return self[key]

    def __getattr__(self, name: str) -> Any:
        """Move and convert them like tensors; what else a tensor has nobody knows."""
        if name in MOVED:
            return lambda *_args, **_kwargs: self
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingWeightsError(f"there is no {self.file}, and the program reads {name} of what it holds")


class Files:
    """The files of one run."""

    def __init__(self, note: Callable[[str], None], *, shapes_only: bool) -> None:
        self.note, self.shapes_only = note, shapes_only
        self.saved: dict[str, File] = {}
        self.on_saved: Callable[[], None] = lambda: None
        self.doubts: list[Doubt] = []
        """Weights that are not there, of which the program was given any."""

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """Return (where, name, replacement)."""
        hub = torch.hub
        return [
            (torch, "save", self._save(torch.save)), (torch.serialization, "save", self._save(torch.save)),
            (torch, "load", self._load(torch.load)), (torch.serialization, "load", self._load(torch.load)),
            (nn.Module, "load_state_dict", self._into_module(nn.Module.load_state_dict)),
            (hub, "load_state_dict_from_url", self._fetched),
            (hub, "download_url_to_file", self._not_fetched),
        ]  # fmt: skip

    def watch(self, arrivals: Arrivals) -> None:
        """Measure what safetensors would write as soon as it is there: it wants data."""
        arrivals.after("safetensors.torch", self._without_data)
        arrivals.after("safetensors.torch", self._without_file)
        arrivals.after("huggingface_hub.file_download", self._without_hub)
        arrivals.after("timm.models._builder", _as_initialised)

    def _without_data(self, module: ModuleType) -> None:
        truth = module.save_file

        @wraps(truth)
        def save_file(tensors: Any, filename: Any, metadata: Any = None) -> None:
            if not any(on_meta(tensor) for tensor in tensors.values()):
                truth(tensors, filename, metadata)
                return
            self._measure(tensors, str(filename))
            Path(filename).write_bytes(b"")
            self.note(f"{Path(filename).name} is empty: its tensors have no values")
            self.on_saved()

        module.save_file = save_file  # type: ignore[attr-defined]  # a module's function

    def _without_file(self, module: ModuleType) -> None:
        truth = module.load_file

        @wraps(truth)
        def load_file(filename: Any, *args: Any, **kwargs: Any) -> Any:
            return self._any(filename) if self._lacks(filename) else truth(filename, *args, **kwargs)

        module.load_file = load_file  # type: ignore[attr-defined]  # a module's function

    def _without_hub(self, module: ModuleType) -> None:
        """Name a file that is not there where weights cannot be fetched: what reads it takes any."""
        truth = module.hf_hub_download

        @wraps(truth)
        def hf_hub_download(repo_id: str, filename: str, *args: Any, **kwargs: Any) -> Any:
            try:
                return truth(repo_id, filename, *args, **kwargs)
            except OSError:
                if not (self.shapes_only and filename.endswith(WEIGHTS)):
                    raise
            return str(Path(repo_id, filename))

        module.hf_hub_download = hf_hub_download  # type: ignore[attr-defined]  # a module's function

    def _lacks(self, file: Any) -> bool:
        return self.shapes_only and _is_missing(file)

    def _any(self, file: Any) -> AnyWeights:
        self.note(f"there is no file {file}: any weights are taken")
        return self._taken(str(file))

    def _taken(self, file: str) -> AnyWeights:
        places = places_of(place_of(sys._getframe(2)))  # noqa: SLF001 - documented, whatever its name: the caller's frame
        reason = f"any weights were taken for {file}, which is not there"
        self.doubts.append(Doubt(places, reason, file, AnyWeights.__name__))
        return AnyWeights(file)

    def _fetched(self, url: str, *_args: Any, **_kwargs: Any) -> AnyWeights:
        self.note(f"weights are not fetched, any are taken: {url}")
        return self._taken(url)

    def _not_fetched(self, url: str, *_args: Any, **_kwargs: Any) -> None:
        self.note(f"nothing is fetched: {url}")

    def _into_module(self, truth: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(truth)
        def load_state_dict(module: nn.Module, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
            copied = self.doubts and not state_dict  # entry by entry, of which there is none
            if isinstance(state_dict, AnyWeights) or copied:
                return LoadedKeys([], [])
            return truth(module, state_dict, *args, **kwargs)

        return load_state_dict

    def _save(self, truth: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(truth)
        def save(content: Any, file: Any, *args: Any, **kwargs: Any) -> Any:
            name = str(file) if isinstance(file, (str, os.PathLike)) else ""
            if name:
                self._measure(content, name)
            with told():
                result = truth(content, file, *args, **kwargs)
            self.on_saved()
            return result

        return save

    def _measure(self, content: Any, name: str) -> None:
        short = Path(name).name
        try:
            with told(), torch.no_grad():
                self.saved[short] = File(short, saved_bytes(content, short))
        except Exception as error:  # noqa: BLE001 - whatever a program saves, its size is a detail
            self.note(f"the length of {short} is not known: {error}")

    def _load(self, truth: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(truth)
        def load(file: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> Any:
            if self._lacks(file):
                if handles_missing_file(places_of(place_of(sys._getframe(1)))):  # noqa: SLF001 - as above
                    self.note(f"there is no file {file}, which the program handles")
                    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(file))
                return self._any(file)
            were_there: set[int] = set()

            def located(storage: Any, location: str) -> Any:
                if location.startswith("cuda") and map_location is None:
                    were_there.add(address_of(storage))
                return storage

            TRUTH.loading = True
            try:
                content = truth(file, located, *args, **kwargs)
            finally:
                TRUTH.loading = False
            return _placed(content, map_location, were_there)

        return load


def _as_initialised(module: ModuleType) -> None:
    """Leave timm's networks as they are made, where their weights are not there: it compares shapes."""
    truth = module.load_pretrained

    @wraps(truth)
    def load_pretrained(*args: Any, **kwargs: Any) -> None:
        with suppress(MissingWeightsError):
            truth(*args, **kwargs)

    module.load_pretrained = load_pretrained  # type: ignore[attr-defined]  # a module's function


def _is_missing(file: Any) -> bool:
    """Return whether a file of weights is not where it should be."""
    named = isinstance(file, (str, os.PathLike)) and str(file).endswith(WEIGHTS)
    return named and not Path(file).exists()


def _placed(content: Any, wanted: Any, were_there: set[int]) -> Any:
    """Move what was loaded to where it is wanted: a meta tensor of an imitated file is on the GPU."""
    if isinstance(content, dict):
        for key in list(content):
            content[key] = _placed(content[key], wanted, were_there)
        return content
    if type(content) in (list, tuple):
        return type(content)(_placed(item, wanted, were_there) for item in content)
    if isinstance(content, nn.Module):
        where = GPU if is_gpu(wanted) else CPU if wanted is not None else None
        return content.to(where) if where is not None else content
    if not isinstance(content, Tensor):
        return content
    if on_meta(content):
        stays = wanted is None or is_gpu(wanted) or callable(wanted)
        return content if stays else torch.zeros(content.shape, dtype=content.dtype, device=CPU)
    gpu = is_gpu(wanted) or address_of(content.untyped_storage()) in were_there
    return content.to(GPU) if gpu else content
