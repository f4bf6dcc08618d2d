# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A trainer that --python has installed as it was released: what it does not have is a fail."""

from __future__ import annotations

import base64
import hashlib
import json
import venv
from pathlib import Path

import pytest

from trainlint.model.finding import Level
from trainlint.session import toolbox
from trainlint.session.chosen_tapes import tapes_for
from trainlint.settings.settings import Settings

EXAMPLE = Path(__file__).parents[3] / "examples" / "edsr_x2.yml"

pytestmark = [pytest.mark.process, pytest.mark.rest]


@pytest.fixture
def environment(tmp_path):
    """Return an interpreter of its own and the folder of its packages."""
    folder = tmp_path / "env"
    venv.create(folder, symlinks=True, with_pip=False)
    return next(folder.glob("*/python")), next(folder.glob("lib/*/site-packages"))


def _install(packages, *, version="1.4.2", requires=(), name="basicsr", origin=None):
    package, notes = packages / name, packages / f"{name}-{version}.dist-info"
    package.mkdir()
    notes.mkdir()
    text = b"LOADS = True\n"
    (package / "train.py").write_bytes(text)
    digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
    (notes / "RECORD").write_text(f"{name}/train.py,sha256={digest},{len(text)}\n{notes.name}/RECORD,,\n")
    needs = "".join(f"Requires-Dist: {other}\n" for other in requires)
    (notes / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
    if origin is not None:
        (notes / "direct_url.json").write_text(json.dumps(origin))


def _job(folder, model="SwinQRModel"):
    folder.mkdir(exist_ok=True)
    config = folder / "train.yml"
    config.write_text(EXAMPLE.read_text().replace("model_type: SRModel", f"model_type: {model}"))
    return config


def _finding(config, python, rule="misspelt-name"):
    settings = Settings(python=python)
    pipeline = toolbox.pipeline_for(settings, tapes_for(settings, progress=print, may_trace=False))
    findings = [f for result in pipeline.lint_path(str(config), named=True) for f in result.findings]
    return next((finding for finding in findings if finding.rule == rule), None)


def test_a_class_that_the_release_does_not_have_is_a_fail(environment, tmp_path):
    python, packages = environment
    config = _job(tmp_path / "job")
    _install(packages)
    assert _finding(config, python).level is Level.FAIL


@pytest.mark.parametrize(
    ("origin", "fails"), [(None, True), ({"url": "https://example.org/basicsr.git"}, False)]
)
def test_an_optimizer_that_the_release_does_not_take_is_a_fail(environment, tmp_path, origin, fails):
    python, packages = environment
    config = _job(tmp_path / "job", "SRModel")
    config.write_text(config.read_text().replace("type: Adam\n", "type: AdamW\n"))
    assert "AdamW" in config.read_text()
    _install(packages, origin=origin)
    assert (_finding(config, python, "wrong-value") is not None) is fails


def test_an_interpreter_that_has_no_trainer_changes_nothing(environment, tmp_path):
    assert _finding(_job(tmp_path / "job"), environment[0]).level is Level.WARN


@pytest.mark.parametrize("change", ["edited", "added", "version", "dependent", "from git"])
def test_what_may_have_more_names_is_not_held_to_the_release(environment, tmp_path, change):
    python, packages = environment
    origin = {"url": "https://example.org/fork.git", "vcs_info": {}} if change == "from git" else None
    _install(packages, version="2.0" if change == "version" else "1.4.2", origin=origin)
    if change == "edited":
        (packages / "basicsr" / "train.py").write_text("LOADS = False\n")
    if change == "added":
        (packages / "basicsr" / "qr_model.py").write_text("class SwinQRModel: ...\n")
    if change == "dependent":
        _install(packages, name="superres", version="0.1", requires=["BasicSR >=1.4"])
    assert _finding(_job(tmp_path / "job"), python).level is Level.WARN


def test_a_checkout_that_is_installed_for_development_is_looked_at(environment, tmp_path):
    python, packages = environment
    checkout = tmp_path / "fork"
    (checkout / "basicsr" / "utils").mkdir(parents=True)
    (checkout / "basicsr" / "utils" / "options.py").write_text("opt['model_type']\n")
    (checkout / "basicsr" / "swinqr_model.py").write_text("class SwinQRModel: ...\n")
    _install(packages, origin={"url": checkout.as_uri(), "dir_info": {"editable": True}})
    assert _finding(_job(tmp_path / "job"), python) is None


def test_what_lies_beside_the_config_may_have_more(environment, tmp_path):
    python, packages = environment
    _install(packages)
    config = _job(tmp_path / "job")
    (config.parent / "mine.py").write_text("@register\nclass SwinQRModel: ...\n")
    assert _finding(config, python) is None


def test_a_repository_that_builds_on_the_release_has_its_own_names_and_those(environment, tmp_path):
    python, packages = environment
    _install(packages)
    job = tmp_path / "job"
    known = _job(job, "MineModel")
    (job / "train.py").write_text("from basicsr.train import train_pipeline\n\nclass MineModel: ...\n")
    assert _finding(known, python) is None
    unknown = _job(job, "SwinQRModel")
    assert _finding(unknown, python).level is Level.FAIL
