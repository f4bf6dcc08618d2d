# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Tables that a user adds: over the shipped ones, checked at once, with file and key in every complaint."""

from __future__ import annotations

import pytest

from trainlint.errors import UsageError
from trainlint.hardware import gpus_and_targets, hardware_tables, load_hardware
from trainlint.hardware.complete_tables import REQUIRED_KEYS
from trainlint.shipped import compiled, kept_data
from trainlint.shipped.resource_paths import resource

MIB = 2**20

CARD = """
[gpu.my-card]
names = ["NVIDIA My Card 9000"]
compute_capability = 8.6
sms = 100
smi_mib = 24576
"""


@pytest.fixture
def load(tmp_path):
    def write_and_load(text):
        file = tmp_path / "own.toml"
        file.write_text(text, encoding="utf-8")
        return load_hardware([file])

    return write_and_load


def test_a_new_card_gets_reserve_and_context_by_rule(load):
    gpu = load(CARD).gpu("My Card 9000")
    assert gpu.memory == 24_095 * MIB  # 24576 - 370 - 0.45 % of 24576 = 24095.4
    assert gpu.context == 370 * MIB  # 100 multiprocessors x 3.7
    assert (gpu.bf16_native, gpu.fp16, gpu.cuda_max) == (True, 0.0, None)
    assert "own.toml" in gpu.source


def test_a_new_machine_with_a_new_card(load):
    hardware = load(CARD + '[target.Lab_Box]\ngpu = "my card 9000"\ngpu_count = 3\nshm_gib = 0.0625\n')
    box = hardware.target("lab box")
    assert (box.name, box.gpu.name, box.gpu_count, box.shm) == ("Lab_Box", "my-card", 3, 64 * MIB)
    assert "lab-box" in hardware.names()


def test_the_versions_that_an_image_holds(load):
    box = load('[target.box]\ngpu = "rtx-5090"\ntorch = "2.6.0"\ncuda = "12.6"\n').target("box")
    assert (box.torch, box.cuda) == ("2.6.0", "12.6")
    for wrong in ("torch = 2.6", 'torch = "new"', 'cuda = "cu128"', 'cuda = "12.8.1"'):
        with pytest.raises(UsageError, match="a version in quotes"):
            load(f'[target.box]\ngpu = "rtx-5090"\n{wrong}\n')


def test_a_known_name_replaces_only_the_keys_it_has(load):
    hardware = load("[gpu.rtx-4090]\ncontext_mib = 700\n[target.kaggle-t4x2]\nsession_budget_h = 11.5\n")
    assert hardware.gpu("rtx-4090").context == 700 * MIB
    assert hardware.gpu("rtx-4090").memory == 24_081 * MIB
    kaggle = hardware.target("kaggle-t4x2")
    assert (kaggle.session_budget_h, kaggle.session_h, kaggle.gpu_count) == (11.5, 12, 2)


def test_a_folder_stands_for_its_files(tmp_path):
    (tmp_path / "a.toml").write_text(CARD)
    (tmp_path / "b.toml").write_text('[target.box]\ngpu = "my-card"\n')
    (tmp_path / "notes.txt").write_text("not TOML at all [")
    assert load_hardware([tmp_path]).target("box").gpu.name == "my-card"


def test_a_machine_without_gpus(load):
    box = load("[target.box]\ncpu_cores = 8\n").target("box")
    assert (box.gpu, box.gpu_count, box.cpu_cores) == (None, 0, 8)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[gpu.x]\nsmi_mib = 24576\n", r'\[gpu\.x\] "compute_capability": missing'),
        ("[gpu.x]\ncompute_capability = 8.6\n", r'\[gpu\.x\] "smi_mib": missing'),
        (CARD + "vram = 24\n", r'\[gpu\.my-card\] "vram": unknown key: expected one of names'),
        (CARD + "cuda_mn = '12.8'\n", r'\[gpu\.my-card\] "cuda_mn": unknown key; did you mean "cuda_min"\?'),
        ("", r"no table is in it: expected \[gpu\.NAME\] or \[target\.NAME\]"),
        ("# later\n", "no table is in it"),
        (CARD + "[target]\n", r"\[target\] is empty: expected \[target\.NAME\]"),
        (CARD + "[target.box]\n", r"\[target\.box\] is empty: expected a key"),
        (CARD + "context_mib = 3.5\n", '"context_mib": expected a whole number above 0, found 3.5'),
        (CARD + "context_mib = true\n", '"context_mib": expected a whole number above 0, found True'),
        (CARD + "context_mib = 30000\n", '"smi_mib": 24095 MiB leave no room'),
        (CARD + "bandwidth_gbs = inf\n", '"bandwidth_gbs": expected a number above 0'),
        (CARD + "torch_mib = 24600\n", '"torch_mib": 24600 MiB are more than smi_mib, 24576'),
        (CARD + "cuda_min = '12.8'\ncuda_max = '11.8'\n", '"cuda_max": "11.8" is before cuda_min, "12.8"'),
        (CARD + "cuda_min = 'twelve'\n", '"cuda_min": expected a version in quotes such as "12.8"'),
        (
            CARD + "context_mib = 300\ncontext_low_mib = 400\n",
            '"context_low_mib": 400 MiB is above context_mib, 300',
        ),
        ("[target.local]\ngpu = 't4'\n", '"gpu": "local" is this machine: expected another name'),
        (CARD + "arch = ''\n", '"arch": expected text'),
        ("[gpu.x]\nnames = []\n", '"names": expected a list of texts'),
        ("[target.x]\ngpu = 'rtx-4095'\n", r'\[target\.x\] "gpu": unknown GPU "rtx-4095"; did you mean'),
        ("[target.x]\ngpu = 'a100'\n", r'\[target\.x\] "gpu": GPU "a100" is ambiguous'),
        ("[target.x]\ngpu = 7\n", '"gpu"'),
        ("[target.x]\ngpu_count = 2\n", '"gpu_count": 2 GPUs, but no gpu is named'),
        ("[target.x]\ngpu = 't4'\ngpu_count = 0\n", '"gpu_count": 0 GPUs, but a gpu is named'),
        (
            "[target.x]\ngpu = 't4'\nsession_h = -1\n",
            '"session_h": expected hours, above 0 and at most those of a year, found -1',
        ),
        ("[machine.x]\n", '"machine": expected only tables'),
        ("gpu = 1\n", '"gpu": expected only tables'),
        ("[gpu]\nx = 1\n", r'"gpu\.x": expected a table, found 1'),
        ("[gpu.x\n", "cannot be read as hardware tables"),
    ],
)
def test_complaints_name_file_table_and_key(load, text, complaint):
    with pytest.raises(UsageError, match=r"own\.toml:\d+: (.* )?" + complaint):
        load(text)


def test_a_missing_or_binary_file_is_a_complaint(tmp_path):
    with pytest.raises(UsageError, match=r"none\.toml: cannot be read"):
        load_hardware([tmp_path / "none.toml"])
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match=r"binary\.toml: cannot be read"):
        load_hardware([tmp_path / "binary.toml"])


@pytest.mark.parametrize(
    ("table", "vendor"),
    [
        (
            '[gpu.mi300x]\nnames = ["AMD Instinct MI300X"]\ncompute_capability = 9.4\ntorch_mib = 196290\n',
            "AMD",
        ),
        ('[gpu.big]\nvendor = "amd"\nsmi_mib = 65520\n', "AMD"),
        ('[gpu.xtx]\nnames = ["Radeon RX 7900 XTX"]\nsmi_mib = 24560\n', "AMD"),
        ("[gpu.gaudi2]\nsmi_mib = 98304\n", "Intel"),
        ('[gpu.s4000]\nvendor = "Moore Threads"\nsmi_mib = 49152\n', "Moore Threads"),
    ],
)
def test_a_card_of_another_vendor_has_none_of_cudas_numbers(load, table, vendor):
    gpu = load(table).gpus()[-1]
    assert (gpu.vendor, gpu.compute_capability, gpu.bf16_native, gpu.context) == (vendor, 0.0, False, 0)
    assert gpu.memory >= 24_560 * MIB


def test_every_shipped_card_is_nvidias():
    assert {gpu.vendor for gpu in load_hardware(()).gpus()} == {"NVIDIA"}


def test_a_card_without_newer_drivers_shows_torch_all_of_its_memory():
    assert load_hardware(()).gpu("k80").memory == 11_441 * MIB  # 11.17 GiB, as its out-of-memory messages say


def test_a_slip_of_a_gpu_that_a_target_names_has_one_place(load):
    with pytest.raises(UsageError) as caught:
        load("[target.x]\ngpu = 'my-card'\n" + CARD + "cuda_mn = '12.8'\n")
    assert str(caught.value).partition("own.toml")[2] == (
        ':9: [gpu.my-card] "cuda_mn": unknown key; did you mean "cuda_min"?'
    )


def test_a_price_has_its_day_and_its_source(load):
    box = '[target.box]\ngpu = "rtx-4090"\nusd_per_hour = 0.34\n'
    dated = box + 'price_date = "2026-11-01"\nprice_source = "the invoice"\n'
    price = load(dated).target("box").price
    assert (price.hourly, price.date, price.source) == (0.34, "2026-11-01", "the invoice")
    assert load('[target.box]\ngpu = "rtx-4090"\n').target("box").price is None
    for text, words in (
        (box, '"price_date": missing'),
        (dated.replace("2026-11-01", "last week"), 'a day in quotes such as "2026-07-21"'),
        (dated.replace("0.34", "0"), '"usd_per_hour": expected a number above 0'),
        ('[target.box]\ngpu = "rtx-4090"\nprice_date = "2026-11-01"\n', '"usd_per_hour": missing'),
    ):
        with pytest.raises(UsageError, match=words):
            load(text)


def test_a_shipped_price_is_the_sellers_own():
    prices = {one.name: one.price for one in load_hardware().targets() if one.price is not None}
    assert len(prices) == 10
    assert all(name.startswith("hf-space-") for name in prices)
    assert all(price.source.startswith("huggingface/hub-docs ") for price in prices.values())


@pytest.mark.parametrize(("text", "line"), [("[gpu.x]\nsms = \n", 2), ("[gpu.x]\nsms = 1\n\n[gpu.x]\n", 4)])
def test_a_shipped_file_that_is_no_toml_is_named_with_its_line(text, line, tmp_path, monkeypatch):
    path = tmp_path / "gpus.toml"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(hardware_tables, "resource", lambda name: tmp_path / name)
    with pytest.raises(UsageError, match=rf"gpus\.toml:{line}: cannot be read as hardware tables: not valid"):
        hardware_tables.shipped_tables()


MINE = '[gpu.mine]\nnames = ["NVIDIA T4"]\nsmi_mib = 15360\ncompute_capability = 7.5\n'


def test_a_name_of_another_chip_is_refused(load):
    said = (
        r'own\.toml:2: \[gpu\.mine\] "names": "NVIDIA T4" is a name of \[gpu\.t4\] at .*gpus\.toml:\d+, and'
    )
    with pytest.raises(
        UsageError, match=f"{said} its compute capability is 7.5, not 8.6: expected a name of its"
    ):
        load(MINE.replace("7.5", "8.6"))


def test_a_users_own_table_may_be_a_listed_card(load):
    """As it was measured, or in another size."""
    assert load(MINE).gpu("mine").title == "NVIDIA T4"
    assert load(f"{MINE}memory_gb = 32\n").gpu("T4 32GB").name == "mine"


@pytest.fixture
def change(tmp_path, monkeypatch):
    """Return a function that loads the shipped tables with a text in them replaced, as the next run would."""
    path, text = tmp_path / "gpus.toml", resource("gpus.toml").read_text(encoding="utf-8")
    for module in (gpus_and_targets, hardware_tables, kept_data):
        monkeypatch.setattr(module, "resource", lambda name: path if name == path.name else resource(name))
    monkeypatch.setattr(kept_data, "_folder", lambda: tmp_path / "kept")
    held = (compiled.data, kept_data.data_state, kept_data.checked_state)

    def load(old, new):
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        for each in held:
            each.cache_clear()
        return load_hardware()

    yield load
    for each in held:
        each.cache_clear()


@pytest.mark.parametrize("key", REQUIRED_KEYS["gpu"])
def test_a_shipped_gpu_that_lacks_a_key_is_refused_at_once(change, key):
    text = resource("gpus.toml").read_text(encoding="utf-8")
    (line,) = [line for line in text[: text.index("\n[gpu.m40")].splitlines() if line.startswith(f"{key} =")]
    at = text[: text.index("[gpu.k80]")].count("\n") + 1
    with pytest.raises(
        UsageError, match=rf'gpus\.toml:{at}: \[gpu\.k80\] "{key}": missing, expected (a |text)'
    ):
        change(f"{line}\n", "")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("sms = 13", "sms = 0", r'\[gpu\.k80\] "sms": expected a whole number above 0, found 0'),
        ("sms = 13", "smss = 13", r'\[gpu\.k80\] "smss": unknown key; did you mean "sms"'),
        ('gpu = "t4"', 'gpu = "t44"', '"gpu": unknown GPU "t44"'),
        (
            'names = ["Tesla K80"]',
            'names = ["Tesla T4"]',
            r'"Tesla T4" is a name of \[gpu\.t4\] at .*:\d+, and its compute capability is 7\.5, not 3\.7:',
        ),
        (
            "sms = 70\nmemory_gb = 12",
            "sms = 70\nmemory_gb = 10",
            r'"NVIDIA GeForce RTX 3080" is a name of \[gpu\.rtx-3080-1.gb\] at .*, and it has 10 GB as well',
        ),
        (
            "\n[target.",
            "\n[target.box]\ngpu_count = 0\n\n[target.",
            r'\[target\.box\] "source": missing, expected text',
        ),
    ],
)  # fmt: skip
def test_a_shipped_table_is_held_to_what_a_users_own_is(change, old, new, said):
    with pytest.raises(UsageError, match=rf"gpus\.toml:\d+: .*{said}"):
        change(old, new)


def test_shipped_tables_that_are_right_are_checked_once(change, monkeypatch):
    assert change("sms = 13", "sms = 14").gpu("k80").sms == 14
    monkeypatch.setattr("trainlint.hardware.complete_tables.check_whole", None)
    load_hardware()
    with pytest.raises(TypeError):
        change("sms = 13", "sms = 1400")  # of another size, so another state


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            CARD + "memory_gb = 24576\n",
            r'own\.toml:7: .*"memory_gb": 24576 GB as sold, but torch sees 24,095',
        ),
        (CARD.replace("8.6", "86"), r"own\.toml:4: .*expected a compute capability such as 8\.6"),
        ('[target.box]\ngpu = "t4"\nsession_h = 36000\n', r"own\.toml:3: .*hours, above 0 and at most those"),
        ('[target.box]\ngpu = "t4"\nweekly_h = 200\n', r"own\.toml:3: .*at most 168"),
        (
            '[target.RTX_4090]\ngpu = "t4"\n',
            r"own\.toml:2: .*has the name of another GPU, which it would hide",
        ),
    ],
)
def test_another_unit_or_a_name_that_is_taken_has_its_line(load, text, says):
    with pytest.raises(UsageError, match=says):
        load(text)


def test_a_target_may_have_the_name_of_its_own_gpu(load):
    assert load('[target.rtx-4090]\ngpu = "rtx-4090"\nsession_h = 5\n').target("rtx-4090").session_h == 5


def test_tables_in_a_folder_of_the_folder_are_named(tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "a.toml").write_text(CARD)
    (tmp_path / "more" / "b.toml").write_text('# a note\n[target.box]\ngpu = "my-card"\n')
    with pytest.raises(UsageError, match=r"more/b\.toml:2: it is in a folder of .*: name that folder too"):
        load_hardware([tmp_path])
    assert load_hardware([tmp_path, tmp_path / "more"]).target("box").gpu.name == "my-card"


def test_a_folder_without_tables_is_no_silence(tmp_path):
    with pytest.raises(UsageError, match=r"no hardware tables in .*: expected files NAME\.toml in it"):
        load_hardware([tmp_path])
