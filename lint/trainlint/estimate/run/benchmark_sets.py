# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Public validation sets whose images have a known size: what a config that names one validates on.

`height` and `width` are of a full-resolution image that the set is known to hold, a large one of it: a card
that cannot take it cannot validate on the set. Sets whose images are not known from a source are left out
(LSDIR, Flickr1024, most video sets), and so is every crop or patch made of one.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

SURVEY: Final = (
    "the mean: Wang, Chen, Hoi, Deep Learning for Image Super-resolution, arXiv 1902.06068, table 1"
)
BERKELEY: Final = "481x321 throughout: Berkeley Segmentation Dataset, from whose test half these are taken"


class Benchmark(Struct, frozen=True):
    """A set: an image's pixels, the words that name the set in lower case, and how the size is known."""

    title: str
    height: int
    width: int
    words: frozenset[str]
    source: str
    images: int = 0  # in its test or validation part, as the same sources count them; 0: it has none


BENCHMARKS: Final = (
    Benchmark(
        "DIV2K", 1356, 2040, frozenset({"div2k", "div2k100"}),
        "0801.png, the first validation image; every image has 2K pixels along one side "
        "(Agustsson, Timofte, NTIRE 2017)", images=100,
    ),
    Benchmark(
        "Flickr2K", 1356, 2040, frozenset({"flickr2k", "df2k", "df2kost"}),
        "made like DIV2K, whose size is taken for it (Lim et al., EDSR, arXiv 1707.02921)",
    ),
    Benchmark("Set5", 336, 313, frozenset({"set5"}), SURVEY, images=5),
    Benchmark(
        "Set14", 512, 768, frozenset({"set14"}),
        "monarch.png: table of opencv_contrib, modules/dnn_superres/README.md", images=14,
    ),
    Benchmark("BSD100", 321, 481, frozenset({"b100", "bsd100", "bsds100", "bsd68", "cbsd68"}), BERKELEY),
    Benchmark("General-100", 381, 435, frozenset({"general100"}), SURVEY, images=100),
    Benchmark("Urban100", 797, 984, frozenset({"urban100"}), SURVEY, images=100),
    Benchmark("Manga109", 1169, 826, frozenset({"manga109"}), SURVEY, images=109),
    Benchmark(
        "GoPro", 720, 1280, frozenset({"gopro"}), "throughout: Nah, Kim, Lee, arXiv 1612.02177", images=1111
    ),
    Benchmark(
        "REDS", 720, 1280, frozenset({"reds"}),
        "throughout: BasicSR 8d56e3a, basicsr/data/meta_info/meta_info_REDS_GT.txt",
    ),
    Benchmark(
        "Vimeo-90K", 256, 448, frozenset({"vimeo90k", "vimeo"}),
        "throughout: BasicSR 8d56e3a, basicsr/data/meta_info/meta_info_Vimeo90K_train_GT.txt",
    ),
)  # fmt: skip

CUT_SET_WORDS: Final = frozenset(
    {
        "crop", "cropped", "crops", "mini", "multiscale", "patch", "patches", "resized", "small", "sub",
        "subs", "thumb", "thumbs", "tile", "tiles", "tiny",
    }
)  # fmt: skip
"""Words next to a set's name that say its images are not the originals; so does any number (DIV2K_512)."""
