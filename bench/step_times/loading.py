# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Measure how long one CPU core takes to decode an image and cut a crop of it: factors.toml's [loading].

    python -m bench loading [--repeats 7] [--kair FOLDER] [--glf-cr FOLDER] [--write FILE]

Needs opencv-python, pillow, scikit-image, scikit-learn and lmdb; loading_rates.py has what follows from the
rows. The photographs are those that scikit-
image and scikit-learn come with, enlarged by mirroring to the sides that data sets of super-resolution
have. Each is stored as PNG (by OpenCV and by Pillow, as they do by default) and as JPEG of quality 95 and
75. What is timed is what a data set does to a sample, from the file's bytes to a float crop: by OpenCV with
the whole image made float before it is cut (basicsr/utils/img_util.py, imfrombytes), or by Pillow, cut
first; and scaling the decoded image to a square by Pillow, up to float numbers (timm, torchvision), for
which the larger of the two images counts. The median of the repeats counts, in CPU time, so that what else
the machine does has little part in it. Files are in the page cache. With --kair, a checkout
of cszn/KAIR (which needs torch and matplotlib), so is how its data sets shrink a whole target; with --glf-cr,
one of xufangchn/GLF-CR (torch, rasterio and scipy), how its data set reads the two samples that come with it.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any

import cv2
import lmdb
import numpy as np
import skimage
import sklearn
from numpy.typing import NDArray
from PIL import Image

from bench.commands import parser_of
from bench.step_times.loading_rates import decoding

SIDES = ((480, 480), (1356, 2040))  # BasicSR's sub-images; 0801.png of DIV2K
CROP = 128
SCALED = (224, 512)
SCALES = (2, 3, 4)
FILTERS = (("bilinear", Image.Resampling.BILINEAR), ("bicubic", Image.Resampling.BICUBIC))
PHOTOGRAPHS = tuple(
    Path(package.__file__).parent / folder / name
    for package, folder, names in (
        (
            skimage,
            "data",
            ("astronaut.png", "chelsea.png", "coffee.png", "motorcycle_left.png", "rocket.jpg"),
        ),
        (sklearn, "datasets/images", ("china.jpg", "flower.jpg")),
    )
    for name in names
)
FIELDS = ("what", "library", "photograph", "height", "width", "bytes", "seconds", "per_megapixel")


Pixels = NDArray[np.uint8]
Floats = NDArray[np.float32]
Row = dict[str, Any]
"""A measurement, by the names of FIELDS."""


def enlarged(image: Pixels, height: int, width: int) -> Pixels:
    """Return an image of the wanted sides: mirrored at its borders as often as that takes, not scaled."""
    more = max(0, height - image.shape[0]), max(0, width - image.shape[1])
    return np.pad(image, ((0, more[0]), (0, more[1]), (0, 0)), mode="symmetric")[:height, :width]


def encodings(image: Pixels) -> Iterator[tuple[str, str, bytes]]:
    """Yield the format and the bytes of every way to store an image (RGB)."""
    bgr = cv2.cvtColor(image, cv2.COLOR_RGB2BGR)
    yield "png", "opencv", cv2.imencode(".png", bgr)[1].tobytes()
    stored = io.BytesIO()
    Image.fromarray(image).save(stored, "PNG")
    yield "png", "pillow", stored.getvalue()
    for quality in (95, 75):
        yield (
            "jpeg",
            str(quality),
            cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes(),
        )


def cropped(image: NDArray[Any]) -> NDArray[Any]:
    """Cut the crop out of the middle, channels first."""
    top, left = (image.shape[0] - CROP) // 2, (image.shape[1] - CROP) // 2
    return np.ascontiguousarray(image[top : top + CROP, left : left + CROP].transpose(2, 0, 1))


def by_opencv(data: bytes) -> Floats:
    """Decode by OpenCV, make floats of all and cut, as BasicSR does."""
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    return cropped(image.astype(np.float32) / 255.0)


def by_pillow(data: bytes) -> Floats:
    """Decode by Pillow, cut and make floats of the crop."""
    image = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    return cropped(image).astype(np.float32) / 255.0


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the median seconds of CPU that one call takes."""
    work()
    found = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return median(found)


def decoded(repeats: int) -> Iterator[Row]:
    """Yield a row for every photograph, size, format and library."""
    for photograph in PHOTOGRAPHS:
        original = np.asarray(Image.open(photograph).convert("RGB"))
        for height, width in SIDES:
            for kind, how, data in encodings(enlarged(original, height, width)):
                for library, load in (("opencv", by_opencv), ("pillow", by_pillow)):
                    taken = seconds(partial(load, data), repeats)
                    yield {
                        "what": f"{kind} {how}", "library": library, "photograph": photograph.name,
                        "height": height, "width": width, "bytes": len(data),
                        "seconds": f"{taken:.6f}", "per_megapixel": f"{taken / (height * width) * 1e6:.5f}",
                    }  # fmt: skip


def resized(image: Image.Image, side: int, kind: Image.Resampling) -> Floats:
    """Scale an image to a square of floats, channels first."""
    small = np.asarray(image.resize((side, side), kind)).transpose(2, 0, 1)
    return np.ascontiguousarray(small).astype(np.float32) / 255.0


def scaled(repeats: int) -> Iterator[Row]:
    """Yield a row for every photograph, size, side that it is scaled to, and filter."""
    for photograph in PHOTOGRAPHS:
        original = np.asarray(Image.open(photograph).convert("RGB"))
        for height, width in SIDES:
            image = Image.fromarray(enlarged(original, height, width))
            for side in SCALED:
                for name, kind in FILTERS:
                    taken = seconds(partial(resized, image, side, kind), repeats)
                    rate = taken / max(height * width, side**2) * 1e6
                    yield {
                        "what": f"scaled {name} {side}", "library": "pillow", "photograph": photograph.name,
                        "height": height, "width": width, "bytes": "", "seconds": f"{taken:.6f}",
                        "per_megapixel": f"{rate:.5f}",
                    }  # fmt: skip


def shrunk(repeats: int, folder: Path) -> Iterator[Row]:
    """Yield a row for every photograph, size and scale: a whole target shrunk by KAIR (utils/utils_image.py).

    A loader's worker has one thread (torch sets it so).
    """
    import torch  # noqa: PLC0415 - for this alone

    torch.set_num_threads(1)
    place = importlib.util.spec_from_file_location("kair_image", folder / "utils" / "utils_image.py")
    if place is None or place.loader is None:
        raise SystemExit(f"{folder}: no checkout of KAIR")
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    for photograph in PHOTOGRAPHS:
        original = np.asarray(Image.open(photograph).convert("RGB"))
        for height, width in SIDES:
            whole = enlarged(original, height, width).astype(np.float32) / 255
            for scale in SCALES:
                image = whole[: height // scale * scale, : width // scale * scale]
                taken = seconds(partial(module.imresize_np, image, 1 / scale), repeats)
                yield {
                    "what": f"shrunk {scale}", "library": "torch", "photograph": photograph.name,
                    "height": height, "width": width, "bytes": "", "seconds": f"{taken:.6f}",
                    "per_megapixel": f"{taken / (height * width) * 1e6:.5f}",
                }  # fmt: skip


def read_patches(repeats: int, folder: Path) -> Iterator[Row]:
    """Yield a row for each of GLF-CR's own samples, by its data set, without and with masks of clouds."""
    import torch  # noqa: PLC0415 - for this alone

    torch.set_num_threads(1)
    sys.path.insert(0, str(folder / "codes"))
    module = importlib.import_module("dataloader")
    names = sorted(path.name for path in (folder / "data" / "s1").glob("*.tif"))
    for how, masked in (("plain", False), ("masked", True)):
        options = SimpleNamespace(
            input_data_folder=str(folder / "data"), is_use_cloudmask=masked, cloud_threshold=0.2,
            load_size=256, crop_size=128, is_test=False,
        )  # fmt: skip
        listed = [["1", "s1", "s2_cloudfree", "s2_cloudy", name] for name in names]
        samples = module.AlignedDataset(options, listed)
        for at, name in enumerate(names):
            taken = seconds(partial(samples.__getitem__, at), repeats)
            yield {
                "what": f"patch {how}", "library": "rasterio", "photograph": name, "height": 256,
                "width": 256, "bytes": "", "seconds": f"{taken:.6f}", "per_megapixel": "",
            }  # fmt: skip


def fetched(repeats: int) -> Iterator[Row]:
    """Yield what it takes to get the bytes of a 480 x 480 PNG out of a file, and out of lmdb."""
    photograph = PHOTOGRAPHS[0]
    data = next(encodings(enlarged(np.asarray(Image.open(photograph).convert("RGB")), *SIDES[0])))[2]
    count = 200
    with tempfile.TemporaryDirectory() as folder:
        for at in range(count):
            Path(folder, f"{at}.png").write_bytes(data)
        store = lmdb.open(str(Path(folder, "lmdb")), map_size=2**30)
        with store.begin(write=True) as writing:
            for at in range(count):
                writing.put(str(at).encode(), data)

        def files() -> None:
            for at in range(count):
                with open(f"{folder}/{at}.png", "rb") as file:  # noqa: PTH123 - as the trainers do
                    file.read()

        def keys() -> None:
            for at in range(count):
                with store.begin(write=False) as reading:
                    reading.get(str(at).encode())

        for what, work in (("file", files), ("lmdb", keys)):
            taken = seconds(work, repeats) / count
            yield {
                "what": what, "library": "", "photograph": photograph.name, "height": SIDES[0][0],
                "width": SIDES[0][1], "bytes": len(data), "seconds": f"{taken:.7f}", "per_megapixel": "",
            }  # fmt: skip


def processor() -> str:
    """Return what the system says of its CPU, without a name of this machine."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:  # noqa: PTH123 - one line of it
        names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return names[0] if names else "unknown"


def main() -> None:
    """Measure, print the rates, and write the rows where that is asked for."""
    parser = parser_of(__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--kair", type=Path, help="a checkout of cszn/KAIR")
    parser.add_argument("--glf-cr", type=Path, help="a checkout of xufangchn/GLF-CR")
    parser.add_argument("--write", type=Path, help="a CSV file for every row")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    os.environ["OMP_NUM_THREADS"] = "1"
    own = shrunk(options.repeats, options.kair) if options.kair else ()
    patches = read_patches(options.repeats, options.glf_cr) if options.glf_cr else ()
    rows = [*decoded(options.repeats), *scaled(options.repeats), *own, *patches, *fetched(options.repeats)]
    versions = f"OpenCV {cv2.__version__}, Pillow {Image.__version__}, Python {sys.version.split()[0]}"
    print(f"{processor()}; {versions}")
    for kind in ("png", "jpeg"):
        for size in SIDES:
            for library in ("opencv", "pillow"):
                rates = sorted(
                    float(row["per_megapixel"])
                    for row in rows
                    if row["what"].startswith(kind) and row["library"] == library and row["height"] == size[0]
                )
                print(
                    f"{kind} {size[1]}x{size[0]} by {library}: {rates[0] * 1e3:.1f} to {rates[-1] * 1e3:.1f}"
                    f" ms a megapixel, median {median(rates) * 1e3:.1f} ({len(rates)} rows)"
                )
    for kind, (least, most) in decoding(rows).items():
        print(f"{kind} = [{least:.5f}, {most:.5f}]  # seconds a megapixel, nine of ten rows")
    for row in rows[-2:]:
        print(f"{row['what']}: {float(row['seconds']) * 1e6:.0f} microseconds for {row['bytes']} bytes")
    if options.write:
        with options.write.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
