# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How many processes read repositories at a time."""

from __future__ import annotations

import pytest

from trainlint.repository.trainer import survey_client
from trainlint.repository.trainer.survey_client import SurveyProcess, ask


@pytest.mark.process
def test_a_folder_of_many_repositories_has_few_processes_at_a_time(tmp_path, monkeypatch) -> None:
    asked: dict = {}
    monkeypatch.setattr(survey_client, "_PROCESSES", asked)
    monkeypatch.setattr(survey_client, "MOST_RUNNING", 2)
    roots = [tmp_path / name for name in "abc"]
    for root in roots:
        root.mkdir()
        (root / "models.py").write_text(f"class {root.name.upper()}:\n    pass\n", "utf-8")
        assert ask(root, (root.name.upper(),)).places[root.name.upper()]
    assert [process.is_running for process in asked.values()] == [False, True, True]
    again = asked[roots[0], ""]
    assert isinstance(again, SurveyProcess)
    assert again.answer(("A",))["places"]["A"]
    for process in asked.values():
        process.close()
