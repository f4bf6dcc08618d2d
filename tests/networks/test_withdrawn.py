# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Networks that may not be shipped: their arguments are checked, and stored profiles alone judge them."""

from __future__ import annotations

import json

import pytest

from trainlint.catalogue.signature import architectures, locate, signature
from trainlint.catalogue.zoo import library_networks, withdrawn
from trainlint.errors import CannotTraceError
from trainlint.estimate.tapes.stored_profiles import Store, shipped_folder
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.estimate.tapes.untraceable import check_exists
from trainlint.tape.encoding import decode
from trainlint.tape.provenance import NOT_SHIPPED, SOURCES_KEY, outdated
from trainlint.trace.building import torch_imports

NAMES = [tuple(name.rpartition(":")[::2]) for name in withdrawn.names()]


@pytest.mark.parametrize(("dialect", "arch"), NAMES)
def test_its_signature_is_known_and_its_source_is_not_there(dialect, arch):
    dialect = dialect or "basicsr"
    assert locate(dialect, arch) is None
    assert arch in architectures(dialect)
    assert signature(dialect, arch).params


@pytest.mark.parametrize(("dialect", "arch"), NAMES)
def test_without_a_profile_it_is_not_judged_and_says_why_and_how(dialect, arch, monkeypatch):
    dialect = dialect or "basicsr"
    monkeypatch.setattr(torch_imports, "find_spec", lambda _: None)  # no library is installed
    step = {"recipe": "basicsr.SRModel", "dialect": dialect, "networks.generator.arch": arch}
    said = rf'network "{arch}" is not shipped \(.*\): (pip install .*, or )?name a file .* with --networks'
    if library_networks.entry(dialect, arch) is None:
        with pytest.raises(CannotTraceError, match=said):
            check_exists(step)
    else:
        build = pytest.importorskip("trainlint.trace.building.build", exc_type=ImportError).build
        with pytest.raises(CannotTraceError, match=said):
            build(dialect, arch, {})


@pytest.mark.slow
def test_its_stored_profiles_are_used_with_torch_and_without():
    used = 0
    for path in sorted(shipped_folder().glob("*.tape")):
        tape = decode(path.read_bytes())
        if tape.made_with[SOURCES_KEY] != NOT_SHIPPED:
            continue
        assert outdated(tape) is None, path.name
        batch = tape.batches[0] if tape.batches else 2
        store = Store(shipped_folder(), "shipped")
        found = TapeSource([store], trace=lambda *_, **__: pytest.fail("traced")).tape(tape.step, batch)
        assert found.key == tape.key
        assert store.refused == {}
        used += 1
    assert used > 0


def test_the_table_says_where_the_code_was_and_under_which_terms():
    for row in json.loads(json.dumps(withdrawn.rows())).values():
        assert {"upstream", "why", "commit", "open", "params"} <= row.keys()


def test_a_bare_name_does_not_stand_in_for_a_withdrawn_one():
    """ClassSR's RCAN has other arguments than BasicSR's."""
    assert locate("basicsr", "RCAN") is not None
    assert locate("basicsr-legacy", "RCAN") is None
    assert "n_resgroups" in signature("basicsr-legacy", "RCAN").params


def test_a_file_of_the_users_builds_it_under_its_bare_name(tmp_path):
    (tmp_path / "own.py").write_text(
        'BUILDERS = {"RCAN": "Own"}\nclass Own:\n    def __init__(self, n=1): pass\n'
    )
    assert locate("basicsr-legacy", "RCAN", [tmp_path]).name == "Own"
