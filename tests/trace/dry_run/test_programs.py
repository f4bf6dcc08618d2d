# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Programs that were never written for it run on a GPU that is not there, and give the tape that a recipe
gives."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tests.trace.dry_run.programs import dry_run, peak
from trainlint.estimate.replay.course import first_mark
from trainlint.estimate.replay.footprint import footprint
from trainlint.estimate.replay.gpu_ledger import Samples, check_closed, ledger
from trainlint.estimate.replay.workspace import libraries
from trainlint.tape import Event
from trainlint.trace.dry_run.program_tape import merge
from trainlint.trace.trace import trace

BEGIN = """
    import torch
    from torch import nn
    from torch.nn import functional as F
    from torch.utils.data import DataLoader, TensorDataset

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.one = nn.Conv2d(width, width, 3, padding=1)
            self.norm = nn.BatchNorm2d(width)
            self.two = nn.Conv2d(width, width, 3, padding=1)

        def forward(self, x):
            return F.relu(x + self.two(F.relu(self.norm(self.one(x)))))

    def network():
        return nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), *[Block(32) for _ in range(3)])

    def loader(batch, count=64, workers=2):
        data = TensorDataset(torch.rand(count, 3, 32, 32), torch.arange(count) % 10)
        return DataLoader(data, batch_size=batch, num_workers=workers, pin_memory=True, shuffle=True)
"""
LOOP = (
    BEGIN
    + """
    net = network()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)  # made before the network is moved
    net.cuda()
    scaler = torch.amp.GradScaler("cuda")
    step = 0
    for epoch in range(4):
        for x, y in loader(8):
            x, y = x.cuda(non_blocking=True), y.to("cuda")
            assert 0 <= int(y.max()) < 10 and y.tolist() == y.cpu().numpy().tolist()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = F.l1_loss(net(x), torch.zeros(len(x), 32, 32, 32, device="cuda"))
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            print(step, loss.item(), f"{loss:.3f}")
            step += 1
"""
)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)
        self.two = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x):
        return torch.relu(x + self.two(torch.relu(self.norm(self.one(x)))))


class Recipe:
    def __init__(self, _step, stage):
        self.stage = stage
        net = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), *[Block(32) for _ in range(3)])
        self.net = stage.register("generator", net)
        self.optimizer = stage.optimizer("generator", net.parameters(), "Adam")
        self.scaler = stage.scaler()
        self.x = self.y = self.loss = self.target = None

    def train_step(self, batch):
        self.x, self.y = self.stage.input(batch, 3, 32, 32), self.stage.input(batch, dtype=torch.int64)
        with self.stage.autocast("fp16"):
            self.loss = nn.functional.l1_loss(self.net(self.x), torch.zeros(batch, 32, 32, 32, device="meta"))
        self.optimizer.zero_grad()
        self.scaler.scale(self.loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def checkpoint(self):
        return {}


def test_a_program_peaks_where_a_recipe_of_its_step_does_at_every_batch(tmp_path):
    one, two = dry_run(tmp_path, LOOP), dry_run(tmp_path, LOOP, "twice", batch={"scale": 2.0})
    assert (one.outcome["status"], two.outcome["status"]) == ("recorded", "recorded"), one.printed
    assert (one.outcome["batch"], two.outcome["batch"]) == (8, 16)
    assert one.outcome["unseen"] == 0
    tape, recipe = one.tape(two), trace({}, recipe=Recipe)
    assert (tape.affine, tape.batches) == ("exact", ())
    for batch in (8, 16, 50):
        assert peak(tape, batch) == pytest.approx(peak(recipe, batch), rel=2e-3)
    assert tape.networks[0].trainable == sum(p.numel() for p in Block(32).parameters()) * 3 + 896
    kinds = {block.kind for block in tape.blocks}
    assert {"parameters", "gradients", "optimizer", "activations", "buffers"} <= kinds
    assert any(block.owner == "Sequential:1.one" and block.kind == "activations" for block in tape.blocks)


@pytest.mark.slow
def test_batches_that_a_program_makes_itself_are_counted_by_its_words(tmp_path):
    without_loader = LOOP.replace(
        "in loader(8)", "in [(torch.rand(BATCH, 3, 32, 32), torch.arange(BATCH))] * 4"
    )
    few, many = (
        dry_run(tmp_path, without_loader.replace("BATCH", str(count)), str(count)).recording
        for count in (8, 6)
    )
    tape = merge([few, many], counts=[8, 6])
    assert (tape.affine, tape.batches) == ("exact", ())
    assert peak(tape, 6) == peak(merge([many], counts=[6]), 6)


def test_what_is_read_for_a_log_is_named_and_what_is_known_is_not_guessed(tmp_path):
    ran = dry_run(tmp_path, LOOP)
    places = [guess["where"] for guess in ran.outcome["guesses"]]
    line = next(
        n
        for n, text in enumerate((tmp_path / "train.py").read_text().splitlines(), 1)
        if "loss.item()" in text
    )
    assert places == [f"train.py:{line}"]
    assert not ran.outcome["guesses"][0]["shapes_depend"]
    assert str(tmp_path / "train.py") in ran.outcome["sources"]
    assert "torch" in ran.outcome["packages"]


def test_a_program_without_torch_runs_as_ever(tmp_path):
    ran = dry_run(tmp_path, "print(sum(range(5)))\n")
    assert ran.printed.strip() == "10"
    assert ran.outcome["status"] == "ended"


@pytest.mark.slow
def test_two_optimizers_and_accumulation_are_one_round(tmp_path):
    ran = dry_run(
        tmp_path,
        BEGIN
        + """
    net_g, net_d = network().cuda(), nn.Sequential(nn.Conv2d(32, 1, 3), nn.Flatten()).cuda()
    one, two = torch.optim.Adam(net_g.parameters()), torch.optim.Adam(net_d.parameters())
    for number, (x, _) in enumerate(loader(4, 100)):
        fake = net_g(x.cuda())
        (net_d(fake).mean() / 2).backward()
        if number % 2:
            one.step(); one.zero_grad()
            two.step(); two.zero_grad()
            print("round", number // 2)
    """,
    )
    assert ran.outcome["rounds"] == 3
    assert ran.printed.count("round") == 2  # it ends inside of the third
    owners = {block.owner.partition(":")[0] for block in ran.tape().blocks if block.kind == "optimizer"}
    assert owners == {"Sequential", "Sequential 2"}


@pytest.mark.parametrize(
    ("empty", "reserved"),
    [("torch.cuda.empty_cache()", 422), ("torch.accelerator.empty_cache()", 422), ("", 622)],
)
def test_a_cache_that_a_program_empties_is_empty_from_there_on(tmp_path, empty, reserved):
    ran = dry_run(
        tmp_path,
        f"""
        import torch
        net = torch.nn.Linear(64, 64).cuda()
        optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
        for _ in range(4):
            net(torch.ones(1, 64, device="cuda")).sum().backward()
            optimizer.step()
            torch.empty(200 << 20, dtype=torch.uint8, device="cuda").sum()
            {empty}
            torch.empty(400 << 20, dtype=torch.uint8, device="cuda").sum()
            {empty}
    """,
    )
    need = footprint(ledger(ran.tape()), Samples(1, 1), libraries(8.6, benchmark=False))
    assert need.reserved >> 20 == reserved


@pytest.mark.slow
def test_a_program_without_an_optimizer_is_clocked_by_its_writes(tmp_path):
    ran = dry_run(
        tmp_path,
        BEGIN
        + """
    net = network().cuda()
    for x, _ in loader(4, 100):
        net.zero_grad()
        net(x.cuda()).mean().backward()
        for p in net.parameters():
            p.data.add_(p.grad, alpha=-0.1)
    """,
    )
    assert (ran.outcome["status"], ran.outcome["rounds"]) == ("recorded", 3)


VALIDATED = (
    BEGIN
    + """
    import os
    net = network().cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(9):
        net.train()
        for x, y in loader(4, 32):
            optimizer.zero_grad()
            net(x.cuda()).mean().backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            for x, y in [*loader(1, 32), *loader(32, 32)]:
                print('score', net(x.cuda()).mean().item())
        torch.save({"net": net.state_dict(), "epoch": epoch}, "last.pth")
        net.load_state_dict(torch.load("last.pth")["net"])
        assert not torch.load("last.pth", map_location="cpu")["net"]["0.weight"].is_cuda
        print("saved", epoch)
"""
)


@pytest.mark.slow
def test_it_goes_on_to_the_validation_or_the_first_checkpoint(tmp_path):
    validated = dry_run(tmp_path, VALIDATED, "validated", until="validation")
    tape = validated.tape()
    assert "validation" in tape.marks
    assert validated.outcome["batch"] == 4
    check_closed(tape)  # what the validation is given is no growth of the step
    assert peak(tape, 4, "validation") > 32 * 32 * 32 * 32 * 4 * 2  # two maps of the batch of 32
    assert peak(validated.tape(), 4) == peak(tape, 4, "step 2")
    assert validated.outcome["image"] == [32, 32]
    alone = VALIDATED.replace("[*loader(1, 32), *loader(32, 32)]", "loader(1, 32)")
    tape = dry_run(tmp_path, alone, "alone", until="validation").tape()
    check_closed(tape)
    assert peak(tape, 4, "validation") < peak(tape, 4) / 3  # no later step is in there
    saved = dry_run(tmp_path, VALIDATED, "saved", until="checkpoint")
    (file,) = saved.tape().files
    assert file.name == "last.pth"
    assert sum(p.numel() for p in Block(32).parameters()) * 3 * 4 < file.size < 2**20
    assert "saved" not in saved.printed
    whole = dry_run(tmp_path, VALIDATED, "whole", until="end")
    assert (whole.outcome["status"], whole.printed.count("saved")) == ("recorded", 9)


SCORED = "print('score', net(x.cuda()).mean().item())"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scored", "status", "reached"),
    [
        ("assert net(x.cuda()).mean().item() > 2", "recorded", "step"),
        ("torch.linalg.cholesky(net(x.cuda()).cpu()[0, :2, 0].cov())", "recorded", "validation"),
        ("raise KeyError(net(x.cuda()).shape)", "crashed", "step"),
    ],
)
def test_a_validation_that_stops_at_a_guess_leaves_the_steps(scored, status, reached, tmp_path):
    assert SCORED in VALIDATED
    ran = dry_run(tmp_path, VALIDATED.replace(SCORED, scored), until="validation")
    assert (ran.outcome["status"], ran.outcome["reached"]) == (status, reached), ran.printed
    if status == "recorded":
        assert ("validation" in ran.tape().marks) == (reached == "validation")
        check_closed(ran.tape())


@pytest.mark.slow
def test_steps_are_written_before_it_goes_on_to_a_validation_that_may_be_far(tmp_path):
    program = LOOP.replace("step += 1", "step += 1\n            if step == 6: import os; os._exit(3)")
    ran = dry_run(tmp_path, program, until="validation")
    assert (ran.outcome["status"], ran.outcome["rounds"]) == ("recorded", 3)
    assert ran.tape().networks


@pytest.mark.slow
def test_attention_is_of_the_cards_class_and_what_would_be_compiled_is_said(tmp_path):
    program = (
        BEGIN
        + """
    layer = torch.compile(nn.Linear(64, 64).cuda())
    optimizer = torch.optim.AdamW(layer.parameters(), fused=True)
    for _ in range(5):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            q = layer(torch.randn(2, 4, 1024, 64, device="cuda"))
        F.scaled_dot_product_attention(q, q, q, is_causal=True).sum().backward()
        optimizer.step()
    """
    )
    fused = dry_run(tmp_path, program)
    scores = 2 * 4 * 1024 * 1024
    assert peak(fused.tape(), 1) < scores * 4
    assert any("torch.compile is left out" in note for note in fused.outcome["notes"])
    old = dry_run(tmp_path, program, "old", gpu={**fused.outcome, "capability": [3, 7], "memory": 2**34})
    assert peak(old.tape(), 1) > scores * 4


@pytest.mark.slow
def test_shapes_that_follow_from_the_samples_are_said(tmp_path):
    ran = dry_run(
        tmp_path,
        """
    import torch
    from torch.utils.data import DataLoader
    texts = [torch.ones(length) for length in (3, 5, 9, 4, 2, 8, 7, 3)]
    pad = lambda batch: torch.nn.utils.rnn.pad_sequence(batch, batch_first=True)
    net = torch.nn.Linear(1, 4).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in DataLoader(texts, 2, collate_fn=pad):
        net(x.cuda().unsqueeze(-1)).sum().backward()
        optimizer.step()
    """,
    )
    (said,) = ran.outcome["shapes"]
    assert said.startswith("batches of 3 shapes came, the first one of 5:")


FINITE = LOOP.replace(
    "optimizer.zero_grad()", "assert loss.isfinite() and not torch.isnan(loss).any(); optimizer.zero_grad()"
).replace("scaler.update()", "assert not torch.isinf(net[0].weight.grad).any(); scaler.update()")


@pytest.mark.slow
@pytest.mark.parametrize("boolean", [True, False])
def test_a_training_that_goes_well_has_finite_values_whatever_is_guessed(boolean, tmp_path):
    guess = {"value": int(boolean), "boolean": boolean, "sizes": "high"}
    ran = dry_run(tmp_path, FINITE.replace('print(step, loss.item(), f"{loss:.3f}")', ""), guess=guess)
    assert ran.outcome["status"] == "recorded", ran.printed
    assert ran.outcome["guesses"] == []


FEATURES = """
import torch

net = torch.nn.Conv2d(3, 64, 3).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    features = net(torch.rand(4, 3, 130, 130, device="cuda"))
    if torch.sum(torch.isnan(features)) == torch.numel(features) or torch.isinf(features).any():
        raise ValueError("NaN or Inf in features")
    assert torch.isfinite(features).all() and not torch.isfinite(features).logical_not().any()
    features.sum().backward()
    optimizer.step()
"""


@pytest.mark.slow
@pytest.mark.parametrize("boolean", [True, False])
def test_feature_maps_too_large_to_keep_are_finite_too(boolean, tmp_path):
    guess = {"value": int(boolean), "boolean": boolean, "sizes": "high"}
    ran = dry_run(tmp_path, FEATURES, guess=guess)
    assert ran.outcome["status"] == "recorded", ran.printed
    assert ran.outcome["guesses"] == []


AVERAGED = """
    class Average(nn.Module):
        def __init__(self, net):
            super().__init__()
            self.online, self.average = net, copy.deepcopy(net)
            self.register_buffer("steps", torch.zeros(1))

    average = Average(net).cuda()
    scaler"""


@pytest.mark.slow
def test_an_average_of_a_network_is_its_ema_and_the_network_keeps_its_name(tmp_path):
    program = LOOP.replace("import torch\n", "import copy\n    import torch\n", 1)
    program = program.replace("    scaler", AVERAGED, 1)
    tape = dry_run(tmp_path, program).tape()
    kinds = {(block.owner.partition(":")[0], block.kind) for block in tape.blocks if block.owner}
    assert {("Sequential", "parameters"), ("Sequential 2", "ema")} <= kinds
    assert not any(role.startswith("Average") for role, _ in kinds)
    assert [network.arch for network in tape.networks] == ["Sequential", "Sequential"]


@pytest.mark.slow
def test_a_loader_that_is_always_empty_ends_the_run_with_the_reason(tmp_path):
    program = (
        BEGIN
        + """
    while True:
        for (x,) in DataLoader(TensorDataset(torch.rand(5, 3)), 8, drop_last=True):
            print("never")
"""
    )
    outcome = dry_run(tmp_path, program).outcome
    assert outcome["status"] == "ended"
    assert (
        outcome["reason"] == "its loader is empty: 5 samples make no batch of 8, and a smaller one is dropped"
    )


AHEAD = (
    BEGIN
    + """
    def ahead(batches):
        stream, held = torch.cuda.Stream(), None
        for x, _ in batches:
            with torch.cuda.stream(stream):
                coming = x.cuda(non_blocking=True)
            if held is not None:
                yield held
            held = coming
        yield held

    net = network().cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    while True:
        for x in ahead(loader(8, COUNT)):
            optimizer.zero_grad()
            net(x).mean().backward()
            optimizer.step()
"""
)


@pytest.mark.slow
@pytest.mark.parametrize(("count", "short"), [(8, True), (64, False)])
def test_a_batch_that_is_loaded_ahead_is_missed_where_the_data_is_one_batch(count, short, tmp_path):
    ran = dry_run(tmp_path, AHEAD.replace("COUNT", str(count)))
    terms = [note for note in ran.outcome["notes"] if isinstance(note, dict)]
    assert [term["direction"] for term in terms] == (["more"] if short else [])


@pytest.mark.slow
def test_a_round_with_an_evaluation_is_not_the_steady_one(tmp_path):
    """A program that evaluates after its first step, and then every thousand, is as quick as its others."""
    program = """
        import torch
        from torch import nn

        net = nn.Linear(64, 64).cuda()
        optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
        for step in range(6):
            net(torch.rand(8, 64, device="cuda")).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            if step % 1000 == 0:
                net.eval()
                with torch.no_grad():
                    for _ in range(40):
                        net(torch.rand(8, 64, device="cuda"))
                net.train()
    """
    ran = dry_run(tmp_path, program)
    assert ran.outcome["rounds"] > 2
    tape = ran.tape()
    second = first_mark(tape, "step 2")
    before, steady = (
        sum(kind == Event.OP for kind, _ in events) for events in (tape.events[:second], tape.events[second:])
    )
    assert before > steady + 40


@pytest.mark.slow
def test_a_step_that_draws_what_it_keeps_is_recorded_where_it_closes(tmp_path):
    program = """
        import torch
        from torch import nn
        from torch.utils.data import BatchSampler, DataLoader, SequentialSampler

        class Repeated:
            def __init__(self, sampler):
                self.sampler = sampler

            def __iter__(self):
                while True:
                    yield from self.sampler

        data = [(torch.zeros(2, 3), torch.rand(64, 64, 64)) for _ in range(8)]
        sampler = Repeated(BatchSampler(SequentialSampler(data), 2, drop_last=True))
        collate = lambda rows: (torch.cat([row[0] for row in rows]), torch.stack([row[1] for row in rows]))
        net = nn.Linear(64, 64).cuda()
        optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
        step, kept = 0, None
        for boxes, x in DataLoader(data, batch_sampler=sampler, collate_fn=collate):
            x = x.cuda()
            kept = torch.zeros(1 << 20, device="cuda") if step == 1 else None  # by chance
            net(x).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            step += 1
    """
    ran = dry_run(tmp_path, program)
    assert ran.outcome["batch"] == 2
    lives, tape = ran.outcome["lives"], ran.tape()
    assert lives[1] - lives[0] > 1 << 20
    assert lives[-1] == lives[-2]
    check_closed(tape)


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "seen"), [(2, "0 of 1 in Images"), (0, "nobody")])
def test_a_dataset_of_a_loader_with_workers_finds_itself_in_one(tmp_path, workers, seen):
    program = """
    import torch
    from torch.utils.data import DataLoader, Dataset, get_worker_info
    class Images(Dataset):
        def __len__(self):
            return 4
        def __getitem__(self, index):
            me = get_worker_info()
            print(f"{me.id} of {me.num_workers} in {type(me.dataset).__name__}" if me else "nobody")
            return torch.ones(2)
    for batch in DataLoader(Images(), 2, num_workers=WORKERS):
        batch.cuda()
    print("after", get_worker_info())
    """
    ran = dry_run(tmp_path, program.replace("WORKERS", str(workers)))
    assert ran.printed.count(seen) == 4, ran.printed
    assert "after None" in ran.printed


@pytest.mark.slow
@pytest.mark.parametrize("step", ["optimizer.step(closure)", "optimizer.step(closure=closure)"])
def test_what_a_closure_makes_is_not_the_optimizers(tmp_path, step):
    """Lightning runs the whole training step in the closure that it gives the optimizer."""
    program = f"""
        import torch
        from torch import nn
        net = nn.Sequential(nn.Linear(64, 4096), nn.ReLU(), nn.Linear(4096, 1)).cuda()
        optimizer = torch.optim.AdamW(net.parameters())
        def closure():
            optimizer.zero_grad()
            loss = net(torch.rand(512, 64, device="cuda")).mean()
            loss.backward()
            return loss
        for _ in range(4):
            {step}
    """
    tape = dry_run(tmp_path, program).tape()
    assert {"forward", "backward", "optimizer"} <= set(tape.marks)
    hidden = 512 * 4096 * 4
    sizes = [(block.kind, block.size.at(0, 0, 0)) for block in tape.blocks]
    kinds = {kind for kind, size in sizes if size >= hidden}
    assert "activations" in kinds
    assert not any(kind.startswith("optimizer") for kind in kinds)
    weights = 64 * 4096 * 4
    assert {"gradients", "optimizer"} <= {kind for kind, size in sizes if size == weights}
