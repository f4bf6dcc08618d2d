# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What an interpreter has installed of one package: run there as a script, it needs nothing of trainlint."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from importlib import metadata
from typing import Any


def report(name: str) -> dict[str, Any]:
    """Return a distribution's version, its checkout, whether it is as released, and what builds on it.

    {"version", "checkout" or None, "released", "dependents": names}; {} where it is not installed.
    """
    try:
        distribution = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return {}
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    url = str(origin.get("url", ""))
    editable = origin.get("dir_info", {}).get("editable", False)
    return {
        "version": distribution.version,
        "checkout": url if editable and url.startswith("file:") else None,
        "released": not origin and _is_as_recorded(distribution),
        "dependents": sorted(
            {
                str(other.metadata["Name"])
                for other in metadata.distributions()
                for needed in other.requires or ()
                if _folded(re.split(r"[^\w.-]", needed.strip(), maxsplit=1)[0]) == _folded(name)
            }
        ),
    }


def _folded(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_as_recorded(distribution: metadata.Distribution) -> bool:
    """Return whether the Python files are those that were installed: none changed, none added."""
    files = [file for file in distribution.files or () if file.suffix == ".py" and file.hash is not None]
    packages = {file.parts[0] for file in files if len(file.parts) > 1}
    recorded = {str(file.locate()) for file in files}
    for package in packages:
        folder = distribution.locate_file(package)
        if any(str(path) not in recorded for path in folder.rglob("*.py")):  # type: ignore[attr-defined]
            return False
    return bool(files) and all(_is_unchanged(file) for file in files)


def _is_unchanged(file: metadata.PackagePath) -> bool:
    kept = file.hash
    if kept is None or kept.mode != "sha256":
        return False
    try:
        digest = hashlib.sha256(file.read_binary()).digest()
    except OSError:
        return False
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == kept.value


if __name__ == "__main__":
    sys.stdout.write(json.dumps(report(sys.argv[1])))
