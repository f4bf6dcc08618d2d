# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Sizes and shapes from headers and opcodes: read without decoding, importing or calling anything."""

from __future__ import annotations

import base64
import io
import json
import pickle
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.documents.test_slow import within
from trainlint.data_headers import Look
from trainlint.data_headers.folder_listing import MOST_FILES
from trainlint.data_headers.image_header import size_of
from trainlint.data_headers.lmdb_meta import entries_in
from trainlint.data_headers.pickle_reader import MOST_OPCODES, StoredTensor, UnknownFileError
from trainlint.data_headers.tensor_shapes import MOST_HEADER_BYTES, shapes, tensors_in
from trainlint.model.spec import TrainSpec, Value


def png(height: int, width: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\x08\x02\0\0\0"


def jpeg(height: int, width: int) -> bytes:
    preview = b"\xff\xe1" + struct.pack(">H", 1002) + b"\0" * 1000
    return b"\xff\xd8" + preview + b"\xff\xc0" + struct.pack(">HBHH", 17, 8, height, width) + b"\x03" * 12


@pytest.mark.parametrize("image", [png(30, 40), jpeg(30, 40)])
def test_sizes_of_images(image: bytes) -> None:
    assert size_of(io.BytesIO(image)) == (30, 40)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xd8",
        png(1, 1)[:20],
        b"GIF89a" + b"\0" * 40,
        jpeg(3, 4)[:1006],
        png(0, 9),
        png(1 << 16, 1 << 15),
    ],
)
def test_what_has_no_size(data: bytes) -> None:
    assert size_of(io.BytesIO(data)) is None


def archive(pickled: bytes) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("archive/data.pkl", pickled)
    file.seek(0)
    return file


def test_a_file_of_torch_save() -> None:
    torch = pytest.importorskip("torch")
    file = io.BytesIO()
    network = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.BatchNorm1d(5))
    torch.save({"params": network.state_dict(), "iter": 7, "weight": network[0].weight}, file)
    file.seek(0)
    found = tensors_in(file)
    assert found["iter"] == 7
    assert found["weight"] == StoredTensor((5, 3))
    assert dict(shapes(found))["0.weight"] == (5, 3)
    assert dict(shapes(found))["1.num_batches_tracked"] == ()


def test_a_file_of_safetensors() -> None:
    header = json.dumps({"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}).encode()
    assert tensors_in(io.BytesIO(struct.pack("<Q", len(header)) + header)) == {"a": StoredTensor((2, 3))}


class _Called:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_nothing_that_a_pickle_names_is_called(tmp_path: Path) -> None:
    victim = tmp_path / "made"
    found = tensors_in(archive(pickle.dumps({"a": _Called(victim), "b": 1}, protocol=2)))
    assert found["b"] == 1
    assert not victim.exists()


@pytest.mark.parametrize(
    "pickled",
    [
        b"", b"\x80\x02}", b"\x80\x02.", b"(((((.", b"\x80\x02]q\0h\0a.", pickle.dumps([1]), b"0" * 1000,
        pickle.dumps({"a": 1}, protocol=2)[:-2], b"ctorch._utils\n_rebuild_tensor_v2\n)R.",
    ],
)  # fmt: skip
def test_broken_files_are_said_to_be(pickled: bytes) -> None:
    with pytest.raises(UnknownFileError):
        tensors_in(archive(pickled))


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"\0" * 100, b"\xff" * 100, b"\x02\0\0\0\0\0\0\0[]"])
def test_other_files_are_no_weights(data: bytes) -> None:
    with pytest.raises(UnknownFileError):
        tensors_in(io.BytesIO(data))


@pytest.fixture
def tree(tmp_path: Path):
    for folder, size in (("hr", (80, 120)), ("lr", (20, 30))):
        (tmp_path / "data" / folder).mkdir(parents=True)
        for number in range(3):
            (tmp_path / "data" / folder / f"{number}.png").write_bytes(png(*size))
    return tmp_path


def looked(root: Path, gt: str = "data/hr", lq: str = "data/lr", weights: str = ""):
    value = {"datasets": {"train": {"dataroot_gt": gt, "dataroot_lq": lq}}}
    spec = TrainSpec({"scale": Value(4), "pretrained.generator": Value(weights)})
    return Look(root).values(SimpleNamespace(document=SimpleNamespace(value=value), spec=spec, tests=False))


def test_pairs_that_fit_and_one_that_does_not(tree: Path) -> None:
    seen = {"pairs": 3, "uneven": 0, "smallest": 80, "images": 3, "pixels": 80 * 120, "jpegs": 0}
    assert looked(tree) == seen
    (tree / "data/lr/1.png").write_bytes(png(20, 31))
    assert looked(tree) == seen | {"uneven": 1, "uneven_first": "1.png"}


def test_images_below_the_folders_of_a_root(tree: Path) -> None:
    """As timm's classes, below a split or not; what holds no image is passed over, and what leads out."""
    spec = TrainSpec({"data.root": Value("classes")})
    job = SimpleNamespace(document=SimpleNamespace(value={}), spec=spec, tests=False)
    for name, size in (("cat", (30, 40)), ("dog", (50, 60)), ("none", None)):
        folder = tree / "classes" / "train" / name
        folder.mkdir(parents=True)
        if size is not None:
            (folder / "1.JPEG").write_bytes(jpeg(*size))
    assert Look(tree).values(job) == {"pixels": (30 * 40 + 50 * 60) / 2, "jpegs": 1}
    (tree / "classes" / "train").rename(tree / "deep")
    (tree / "classes").rmdir()
    (tree / "deep").rename(tree / "classes")
    (tree / "classes" / "link").symlink_to(tree / "data" / "hr")
    assert Look(tree).values(job) == {"pixels": (30 * 40 + 50 * 60) / 2, "jpegs": 1}


def counted(root: Path, dialect: str, value: dict) -> int | None:
    spec = TrainSpec({"dialect": Value(dialect)})
    job = SimpleNamespace(document=SimpleNamespace(value=value), spec=spec, tests=False)
    return Look(root).values(job).get("samples")


def test_samples_of_basicsr_are_the_lines_of_a_list_or_the_files_of_a_folder(tree: Path) -> None:
    disk = {"io_backend": {"type": "disk"}, "dataroot_gt": "data/hr", "dataroot_lq": "data/lr"}
    (tree / "list.txt").write_text("0.png (80,120,3)\n1.png (80,120,3)\n")
    pair = {"type": "PairedImageDataset"} | disk
    for train, samples in (
        (pair, 3),
        (pair | {"meta_info_file": "list.txt"}, 2),
        (pair | {"meta_info_file": "none.txt"}, None),
        (pair | {"io_backend": {"type": "lmdb"}}, None),
        (pair | {"dataroot_lq": "data/none"}, None),
        ({"type": "RealESRGANDataset", "meta_info": "list.txt"} | disk, 2),
        ({"type": "RealESRGANDataset"} | disk, None),
        ({"type": "REDSDataset"} | disk, None),
    ):
        assert counted(tree, "basicsr", {"datasets": {"train": train}}) == samples
    assert counted(tree, "neosr", {"datasets": {"train": pair}}) is None


def test_samples_of_the_vae_are_nine_tenths_of_all_images_below(tree: Path) -> None:
    for number in range(14):
        (tree / "data" / f"{number}.{'JPG' if number % 2 else 'webp'}").write_bytes(b"")
    (tree / "data" / "list.txt").write_bytes(b"")
    (tree / "data" / "again").symlink_to(tree / "data" / "hr")
    assert counted(tree, "vae", {"data_path": "data"}) == 18  # 14 and 3 + 3, less int(0.1 * 20)
    assert counted(tree, "vae", {"data_path": "nowhere"}) is None


def test_targets_alone_have_a_size_and_a_format(tree: Path) -> None:
    """Their mean, and the share that is JPEG: what the loader decodes."""
    (tree / "data/hr/3.jpg").write_bytes(jpeg(40, 60))
    for gt in ("data/hr", ["data/hr"]):
        assert looked(tree, gt, "") == {"pixels": (3 * 9600 + 2400) // 4, "jpegs": 0.25}
    assert looked(tree, ["data/hr", "data/lr"], "") == {}


def test_a_database_has_its_size(tree: Path) -> None:
    (tree / "gt.lmdb").mkdir()
    (tree / "gt.lmdb/data.mdb").write_bytes(bytes(4096))
    assert looked(tree, "gt.lmdb", "") == {"database": 4096}


def test_nothing_outside_of_the_root_or_behind_a_link_is_looked_at(tree: Path) -> None:
    (tree / "inside").mkdir()
    assert looked(tree / "inside", "../data/hr", "../data/lr") == {}
    assert looked(tree / "inside", str(tree / "data/hr"), str(tree / "data/lr")) == {}
    (tree / "inside/hr").symlink_to(tree / "data/hr")
    (tree / "inside/lr").symlink_to(tree / "data/lr")
    assert looked(tree / "inside", "hr", "lr") == {}


@pytest.mark.torch
def test_the_window_of_weights(tree: Path) -> None:
    torch = pytest.importorskip("torch")
    tables = {f"layers.{at}.attn.relative_position_bias_table": torch.zeros(31 * 31, 6) for at in range(2)}
    torch.save({"params_ema": tables}, tree / "a.pth")
    found = looked(tree, weights="a.pth")
    assert (found["weights_keys"], found["weights_window"]) == (["params_ema"], 16)


@pytest.mark.parametrize("reads", [True, False, None])
def test_what_a_training_state_lacks(tree: Path, reads: bool | None) -> None:
    state = {"epoch": 1, "iter": 5, "optimizers": []}
    (tree / "5.state").write_bytes(archive(pickle.dumps(state, protocol=2)).getvalue())

    def lacks(name: str) -> object:
        spec = TrainSpec({"resume": Value(name)})
        trainer = SimpleNamespace(source=None if reads is None else SimpleNamespace(reads=lambda _key: reads))
        job = SimpleNamespace(document=SimpleNamespace(value={}), spec=spec, tests=False, trainer=trainer)
        return Look(tree).values(job).get("state_lacks")

    assert lacks("5.state") == ["schedulers", *(["best_metric"] if reads else [])]
    assert lacks("6.state") is None
    assert lacks("data/hr/1.png") is None


def test_the_largest_image_of_all_sets(tree: Path) -> None:
    lone = {"type": "SingleImageDataset", "dataroot_lq": "data/lr", "io_backend": {"type": "disk"}}
    other = {**lone, "dataroot_lq": "data/hr"}

    def seen(dialect: str = "basicsr", **sets: object) -> object:
        document = SimpleNamespace(value={"datasets": {**sets, "train": {}}})
        trainer = SimpleNamespace(id=dialect)
        job = SimpleNamespace(document=document, spec=TrainSpec({}), tests=False, dialect=trainer)
        return Look(tree).values(job).get("image")

    assert seen(val=lone) == (20, 30)
    assert seen(val_1=lone, val_2=other, test_1={}) == (80, 120)
    assert seen(val_1=lone, val_2={**other, "io_backend": {"type": "lmdb"}}) is None
    assert seen(val={**lone, "type": "VideoTestDataset"}) is None
    assert seen(val={**lone, "dataroot_lq": "nowhere"}) is None
    (tree / "data/lr/cut.png").write_bytes(png(20, 30)[:18])
    assert seen(val=lone) is None


def look_at(folder: Path, train: dict, **files: bytes | str) -> dict:
    for name, data in files.items():
        path = folder / name.replace("__", "/").replace("_png", ".png").replace("_txt", ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    train = {"type": "PairedImageDataset", "dataroot_gt": "gt", "dataroot_lq": "lq", **train}
    document = SimpleNamespace(value={"datasets": {"train": train}})
    spec = TrainSpec({"scale": Value(2)})
    return Look(folder).values(SimpleNamespace(document=document, spec=spec, tests=False))


DISK = {"io_backend": {"type": "disk"}}


def test_folders_of_one_size_with_one_name_each(tmp_path: Path) -> None:
    pair = {"gt__a_png": png(8, 8), "lq__a_png": png(4, 4)}
    found = look_at(tmp_path, DISK, **pair)
    assert (found["targets"], found["inputs"], found["lacking"], found["pairs"]) == (1, 1, 0, 1)
    found = look_at(tmp_path, DISK, **pair, lq__b_png=png(4, 4))
    assert (found["targets"], found["inputs"], found["lacking"]) == (1, 2, 0)
    found = look_at(tmp_path, DISK, **pair, gt__c_png=png(8, 8))
    assert (found["targets"], found["inputs"], found["lacking"], found["lacking_first"]) == (2, 2, 1, "c")


def test_names_of_a_meta_info_file(tmp_path: Path) -> None:
    pair = {"gt__a_png": png(8, 8), "lq__a_png": png(4, 4), "gt__b_png": png(8, 8)}
    train = {**DISK, "meta_info_file": "names.txt"}
    found = look_at(tmp_path, train, **pair, names_txt="a.png (8,8,3)\n")
    assert (found["listed"], found["lacking"], "targets" in found) == (1, 0, False)
    found = look_at(tmp_path, train, **pair, names_txt="a.png (8,8,3)\nb.png (8,8,3)\n")
    assert (found["listed"], found["lacking"], found["lacking_first"]) == (2, 1, "line 2")


def test_keys_of_two_lmdbs(tmp_path: Path) -> None:
    train = {"io_backend": {"type": "lmdb"}}
    gt = "a.png (8,8,3) 1\nb.png (8,8,3) 1\n"
    found = look_at(tmp_path, train, gt__meta_info_txt=gt, lq__meta_info_txt="a.png (4,4,3) 1\n")
    assert (found["listed"], found["lacking"], found["lacking_first"]) == (2, 1, "line 2")


FOUR = zlib.decompress(
    base64.b64decode(
        "eNrt3L9twkAUB+ADDHaqS5ECZQrnz3CZgykomQBliBSpMkCarBDJ8ZnDsgWRLNN8X+EHz0cD1e/emRCSqrl+vf8cFyF335UqnO6crwlh2dbN"
        "WXd8fdHWdVvLwc8DAAAAU1hMnP+LK/N/yv2rXv5f+0kAAABgcsvs1Tbs43f8iMe4j74ZAAAAmN9dcy1CXdcvb0nefR7sPg1261N3leX/x7Dr"
        "8v/ODgAAAADMk/RfB9P7pPm/yPL/QzjEz3iQ/AEAAODGuwLbplbdc/Lp/H7Ze5/WFb1++n+9da/2z/+b/wMAAMAcSX90/v+fUwEX5/+bLP/n"
        "83/5HwAAAG6X/9Ncf9Ol9tDe+ZOe57/2nEA5kv8BAACA27n2XH9at7qwT/ALSJ5pyg=="
    )
)
"""A data.mdb of py-lmdb 1.8.1 (LMDB 0.9.35): five entries, each in a transaction, and one deleted again."""


def test_entries_of_an_lmdb() -> None:
    assert entries_in(io.BytesIO(FOUR)) == 4
    before = FOUR[:144] + bytes(8) + FOUR[152:]  # as if the last transaction had not got as far as its page
    assert entries_in(io.BytesIO(before)) == 5


@pytest.mark.parametrize(
    "data",
    [
        b"", FOUR[:100], FOUR[:4096], FOUR[:4240], b"\0" * 9000, b"\xff" * 9000,
        FOUR.replace(b"\xde\xc0\xef\xbe", b"\xbe\xef\xc0\xde"),  # of the other byte order
        FOUR.replace(b"\xbe\1", b"\xbe\2"), FOUR.replace(b"\0\x10\0\0\x08", b"\0\x30\0\0\x08"), FOUR[4:],
    ],
)  # fmt: skip
def test_what_is_no_lmdb_has_no_entries(data: bytes) -> None:
    assert entries_in(io.BytesIO(data)) is None


def test_an_lmdb_that_holds_fewer_images_than_its_list_names(tmp_path: Path) -> None:
    lines = "".join(f"{name}.png (8,8,3) 1\n" for name in "abcdef")
    pair = {"gt__meta_info_txt": lines, "lq__meta_info_txt": lines, "lq__data.mdb": FOUR}
    found = look_at(tmp_path, {"io_backend": {"type": "lmdb"}}, **pair)
    assert found == {"listed": 6, "lacking": 0, "short": "dataroot_lq", "short_of": 2}
    four = {"gt__meta_info_txt": lines[:60], "lq__meta_info_txt": lines[:60], "lq__data.mdb": b"no LMDB"}
    assert "short" not in look_at(tmp_path, {"io_backend": {"type": "lmdb"}}, **four)


@pytest.mark.parametrize(
    "more",
    [{"io_backend": None}, {"type": "MyDataset"}, {"filename_tmpl": "{:s}x2"}, {"meta_info_file": "no.txt"}],
)
def test_lists_that_are_not_known_say_nothing(tmp_path: Path, more: dict) -> None:
    train = {**DISK, **more}
    found = look_at(tmp_path, train, gt__a_png=png(8, 8), gt__b_png=png(8, 8), lq__a_png=png(4, 4))
    assert not found.get("lacking")
    assert "targets" not in found


def test_inputs_are_named_as_the_template_says(tmp_path: Path) -> None:
    train = {**DISK, "filename_tmpl": "{}x2"}
    found = look_at(tmp_path, train, gt__a_png=png(8, 8), gt__b_png=png(8, 8), lq__ax2_png=png(4, 4))
    assert (found["listed"], found["lacking"], found["lacking_first"]) == (2, 1, "b")
    assert (found["pairs"], found["uneven"]) == (1, 0)
    listed = {**train, "meta_info_file": "names.txt"}
    pair = {"gt__a_png": png(8, 8), "lq__ax2_png": png(4, 4)}
    assert look_at(tmp_path, listed, **pair, names_txt="a.png (8,8,3)\n")["lacking"] == 0


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "a pointer of Git LFS"),
        (b"\n<!DOCTYPE html><html>", "a web page"),
        (struct.pack("<Q", 2) + b'{"a": {}}', "safetensors"),
        (archive(pickle.dumps({})).getvalue(), ""),
        (b"\x80\x02\x8a\nl\xfc", ""),
        (b"", ""),
    ],
)
def test_what_the_pretrained_file_is(tree: Path, data: bytes, kind: str) -> None:
    (tree / "w.pth").write_bytes(data)
    assert looked(tree, weights="w.pth").get("weights_are", "") == kind


def test_what_lies_outside_is_not_looked_for(tmp_path: Path) -> None:
    train = {**DISK, "meta_info_file": "names.txt"}
    pair = {"gt__a_png": png(8, 8), "lq__a_png": png(4, 4)}
    found = look_at(tmp_path, train, **pair, names_txt="/etc/a.png\n../../a.png\na\0.png\n")
    assert (found["listed"], found["lacking"], found["lacking_first"]) == (3, 1, "line 3")


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "a" * 300, "a/" * 400_000, "../" * 200_000])
def test_a_name_that_is_no_files_leads_nowhere(tree: Path, name: str) -> None:
    with within(5):
        assert looked(tree, gt=name) == {}
        assert "pairs" not in looked(tree, lq=name)
        assert "weights_keys" not in looked(tree, weights=name)


def test_a_name_that_is_too_long_for_a_file_is_lacking(tmp_path: Path) -> None:
    train = {**DISK, "meta_info_file": "m"}
    assert look_at(tmp_path, train, gt__a_png=b"", lq__a_png=b"", m="a" * 300)["lacking"] == 1


@pytest.mark.parametrize(
    ("text", "listed"),
    [("a/" * (16 << 20), 0), (f"{'a/' * 1500} x\n" * 5000, 66), ("\u0100\n" * (11 << 20), 0), ("a\rb\r", 2)],
)
def test_a_list_of_names_that_nobody_has_ends(tmp_path: Path, text: str, listed: int) -> None:
    with within(5):
        found = look_at(tmp_path, {**DISK, "meta_info_file": "m"}, gt__a_png=b"", lq__a_png=b"", m=text)
    assert found.get("listed", 0) == listed


def zipped(how: int, spoil: Callable[[bytearray], object]) -> bytes:
    """Return an archive of torch.save's form with some bytes changed."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as made:
        made.writestr("a/data.pkl", bytes(range(256)) * 40)
    data = bytearray(file.getvalue())
    spoil(data)
    return bytes(data)


def safetensors(header: str) -> bytes:
    return struct.pack("<Q", len(header)) + header.encode()


def directory(size: int) -> bytes:
    """Return an archive whose end says that its directory has this many bytes; they are not written."""
    return b"PK\3\4" + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, size, 4, 0)


@pytest.mark.parametrize(
    "data",
    [
        zipped(zipfile.ZIP_DEFLATED, lambda data: data.__setitem__(slice(50, 60), b"\xff" * 10)),
        zipped(zipfile.ZIP_LZMA, lambda data: data.__setitem__(slice(50, 60), b"\xff" * 10)),
        zipped(zipfile.ZIP_BZIP2, lambda data: data.__setitem__(slice(50, 60), b"\xff" * 10)),
        safetensors('{"a": {"shape": [Infinity]}}'),
        safetensors('{"a": {"shape": [1e999]}}'),
        directory(0xFFFFFF00),
    ],
)
def test_damage_that_libraries_have_errors_of_their_own_for(tree: Path, data: bytes) -> None:
    (tree / "w.pth").write_bytes(data)
    assert "weights_keys" not in looked(tree, weights="w.pth")


def test_no_more_of_a_file_is_taken_at_once_than_its_lists_need(tree: Path) -> None:
    """A directory of 1 GB was read whole, and a header of 32 MB in brackets took 800 MB."""
    with (tree / "w.pth").open("wb") as file:
        file.truncate(1 << 30)
        file.seek(0)
        file.write(b"PK\3\4")
        file.seek(0, 2)
        file.write(directory(1 << 29)[4:])
    (tree / "h.pth").write_bytes(safetensors(f'{{"a": [{"[]," * 10_000_000}[]]}}'))
    tracemalloc.start()
    assert "weights_keys" not in looked(tree, weights="w.pth")
    assert "weights_keys" not in looked(tree, weights="h.pth")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000_000


@pytest.mark.parametrize(
    "data",
    [
        archive(pickle.dumps({"params": b"x" * MOST_HEADER_BYTES}, 2)).getvalue(),
        pytest.param(archive(b"\x80\x02" + b"N" * MOST_OPCODES + b"}.").getvalue(), marks=pytest.mark.rest),
        safetensors(f'{{"a": {" " * MOST_HEADER_BYTES}1}}'),
    ],
)
def test_weights_that_are_too_large_to_be_followed_are_named(tree: Path, data: bytes) -> None:
    (tree / "w.pth").write_bytes(data)
    assert looked(tree, weights="w.pth")["unlisted"].startswith('"w.pth" has ')


def test_a_list_that_is_too_long_is_named(tmp_path: Path) -> None:
    train = {**DISK, "meta_info_file": "m"}
    named = look_at(tmp_path, train, gt__a_png=b"", lq__a_png=b"", m="a\n" * (MOST_FILES + 1))
    assert named["unlisted"] == '"m" is a list of more than 200,000 names, or 33,554,432 bytes'


def test_dictionaries_that_hold_each_other_are_looked_through_once_in_a_while(tree: Path) -> None:
    """3,000 names, each of the same 3,000, each of the same 3,000: 27,000 million of them."""
    inner = dict.fromkeys(range(3000), 1)
    middle = dict.fromkeys(range(3000), inner)
    (tree / "w.pth").write_bytes(archive(pickle.dumps(dict.fromkeys(range(3000), middle), 2)).getvalue())
    with within(5):
        assert looked(tree, weights="w.pth")["weights_keys"] == []


def test_a_jpeg_of_nothing_but_marks_has_no_size() -> None:
    image = b"\xff\xd8" + b"\xff\x01\0\0" * 65_000
    with within(1):
        assert [size_of(io.BytesIO(image)) for _ in range(64)] == [None] * 64


def test_a_folder_without_a_file_is_named(tmp_path) -> None:
    (tmp_path / "data" / "hr").mkdir(parents=True)
    assert looked(tmp_path) == {"empty": '"data/hr"'}
