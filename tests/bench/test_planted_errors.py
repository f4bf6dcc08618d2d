# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`python -m bench planted_errors`: slips are slips, and a finding at another line does not count."""

from __future__ import annotations

import pytest

from bench.planted import keys, names, values
from bench.planted.checkout import Checkout
from bench.planted.errors import Seen, judged, line_said
from bench.planted.option_file import Planted, option_files
from bench.planted.page import page
from bench.planted.row import Row
from bench.planted.words import misspelt

OPTIONS = """\
model_type: SRModel
scale: 4
datasets:
  train:
    type: PairedImageDataset
    gt_size: 128
    use_hflip: true
    batch_size_per_gpu: 4
network_g:
  type: OwnNet
  num_feat: 64
  upscale: 4
train:
  optim_g: {type: Adam, lr: 0.0002, betas: [0.9, 0.99]}
  total_iter: 1000
logger:
  print_freq: 100
"""
SOURCE = """\
class OwnNet:
    def __init__(self, num_feat=64, upscale=4):
        pass
def train(opt):
    if step % opt['logger']['print_freq'] == 0 and step < opt['train']['total_iter']:
        batch = opt['datasets']['train']['batch_size_per_gpu'] + opt['datasets']['train']['gt_size']
        flip = opt['datasets']['train'].get('use_hflip'), opt.get('upscale')
        made = opt['network_g'], opt['model_type']
    optimizer(opt['train']['optim_g']['type'], opt['train']['optim_g']['lr'])
"""
KINDS = {**keys.KINDS, **values.KINDS, **names.KINDS}


@pytest.fixture
def option(tmp_path):
    (tmp_path / "options").mkdir()
    (tmp_path / "options/train_own.yml").write_text(OPTIONS, "utf-8")
    (tmp_path / "options/test_own.yml").write_text(OPTIONS, "utf-8")
    (tmp_path / "train.py").write_text(SOURCE, "utf-8")
    (found,) = option_files(Checkout("somebody/own", "0" * 40, tmp_path))
    return found


@pytest.mark.parametrize(
    ("word", "wrong"),
    [
        ("total_iter", "ttoal_iter"),
        ("L1Loss", "L1Lsos"),
        ("AdamW", "AadmW"),
        ("nf", "nff"),
        ("psnr", "pnsr"),
        ("l1", "ll1"),
    ],
)
def test_a_slip_is_two_letters_of_a_word(word, wrong):
    assert misspelt(word) == wrong


@pytest.mark.parametrize(
    ("kind", "line", "text"),
    [
        ("a batch of 0", 8, "    batch_size_per_gpu: 0"),
        ("every 0 iterations", 17, "  print_freq: 0"),
        ("a number that is read as a word (2e-4)", 14, OPTIONS.splitlines()[13].replace("0.0002", "2e-4")),
        ("a crop that the scale does not divide", 6, "    gt_size: 129"),
        ("a misspelt network", 10, "  type: OnwNet"),
        ("a width of the network in quotes", 11, '  num_feat: "64"'),
        ("an argument that the network does not take", 11, "  use_flash_path: true"),
    ],
)  # fmt: skip
def test_a_slip_is_at_its_line(option, kind, line, text):
    planted = KINDS[kind](option)
    assert planted.text.splitlines()[line - 1] == text
    assert line in planted.lines


def test_what_the_source_does_not_ask_for_is_not_planted(option):
    asked = set(filter(option.checkout.asks_for, keys.ASKED_KEYS["basicsr"]))
    assert "scheduler" not in asked
    assert keys.asked_misspelt(option).named in asked
    assert keys.optional_misspelt(option).named == "use_hflip"
    assert KINDS["a misspelt metric"](option) is None
    assert KINDS["a warm-up longer than the run"](option) is None


def test_a_key_that_is_gone_is_found_where_a_message_names_it():
    gone = Planted("", frozenset(), "gt_size commented out", named="gt_size")
    assert (
        judged([], [Seen("missing-key", "fail", 1, "", '"gt_size" is missing')], gone)[0]
        == "fail[missing-key]"
    )
    assert judged([], [Seen("missing-key", "fail", 1, "", '"lq_size" is missing')], gone)[0] == ""


def test_only_what_is_new_at_the_line_counts():
    planted = Planted("", frozenset({3}), "")
    old = [Seen("wrong-type", "fail", 2, "a: b", "no number")]
    assert judged(old, [Seen("wrong-type", "fail", 3, "a: b", "another")], planted) == ("", "")
    assert judged(old, [Seen("wrong-type", "fail", 3, "a: c", "no number")], planted) == ("", "")
    assert judged(old, [Seen("wrong-type", "warn", 3, "a: c", "x")], planted) == ("warn[wrong-type]", "")
    assert judged(old, [Seen("unknown-key", "warn", 9, "c: d", "x")], planted) == ("", "warn[unknown-key]:9")


def test_the_page_counts_and_names_what_is_missed():
    row = Row("somebody/own", "0000000", "a tab", "a.yml", "a tab", "fail[unreadable]", "")
    other = Row("somebody/else", "1111111", "a tab", "b.yml", "a tab", "", "")
    said = page([row, other])
    assert "Of 2 slips 1 are found (50.0%), 1 of them as a fail." in said
    assert "| a tab | 2 | 1 | 1 |" in said
    assert "- a tab: else" in said


def test_a_finding_of_an_option_file_is_at_the_line_of_the_command_that_it_names():
    message = 'BasicSR does not read "total_itre" in "train" (run.sh:3)'
    assert line_said(message, "run.sh") == 3
    assert line_said(message, "other.sh") == 0
    assert line_said("no place", "run.sh") == 0
