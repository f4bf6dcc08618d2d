# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is said of a package that this environment lacks: the machine with the GPU may have it."""

from __future__ import annotations

from typing import Final

from trainlint.dry_run.rehearsing.run_record import LackingPackage

NAME_ENVIRONMENT: Final = "name the environment that trains with --python"
PACKAGES_BY_MODULE: Final = {
    "cv2": "opencv-python", "yaml": "PyYAML", "PIL": "pillow", "skimage": "scikit-image", "git": "GitPython",
    "sklearn": "scikit-learn", "bs4": "beautifulsoup4", "dotenv": "python-dotenv", "hydra": "hydra-core",
    "pytorch_lightning": "pytorch-lightning", "umap": "umap-learn", "attr": "attrs",
    "pkg_resources": "'setuptools<81'", "colour": "colour-science", "skvideo": "sk-video",
    "open_clip": "open_clip_torch", "faiss": "faiss-cpu", "ffmpeg": "ffmpeg-python",
    "clip": "git+https://github.com/openai/CLIP.git", "apex": "git+https://github.com/NVIDIA/apex.git",
}  # fmt: skip
"""What gives modules that have another name; setuptools 80 has pkg_resources, 84 has not.

PyPI's own apex, clip, colour and ffmpeg are other projects than those that training programs import.
"""


def wanted_package(lacks: LackingPackage, said: str) -> str:
    """Say which package is wanted and what gives it; `said` is the error's first line."""
    top = lacks.name.partition(".")[0]
    error = f" ({said})"
    if not top:
        return f"a package is missing in this environment: {NAME_ENVIRONMENT}{error}"
    if lacks.below is not None:
        return (
            f"{top} is the project's own, off Python's path: put PYTHONPATH={lacks.below} before the command"
        )
    if lacks.has is not None:
        here = " ".join(filter(None, (top, lacks.has)))
        if lacks.refuses:  # a finding has the error
            return f"{here} of this environment may not be what it is written for: {NAME_ENVIRONMENT}"
        return f"{here} of this environment lacks what it uses: {NAME_ENVIRONMENT}{error}"
    package = PACKAGES_BY_MODULE.get(top, top)
    return f"{top} is not installed in this environment: pip install {package}, or {NAME_ENVIRONMENT}"
