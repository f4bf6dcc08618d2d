# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR before 1.0: `network_G`, batches over all GPUs, today's networks under their old arguments."""

from __future__ import annotations

from trainlint.estimate.run.placement import place
from trainlint.judge.problem_findings import network_problems

from .dialect_jobs import fields, job, said

CONFIG = """
name: old
model: sr
scale: 4
gpu_ids: [0, 1]
datasets:
  train: {name: D, mode: LQGT, dataroot_GT: gt, n_workers: 6, batch_size: 32, GT_size: 128}
  val: {name: V, mode: LQGT}
network_G: {which_model_G: MSRResNet, in_nc: 3, out_nc: 3, nf: 64, nb: 16, upscale: 4}
path: {pretrain_model_G: ~, strict_load: true, resume_state: ~}
train:
  lr_G: !!float 2e-4
  lr_scheme: MultiStepLR
  lr_steps: [200000]
  niter: 1000000
  pixel_criterion: l1
  pixel_weight: 1.0
  val_freq: !!float 5e3
logger: {print_freq: 100, save_checkpoint_freq: !!float 5e3}
"""


def test_fields():
    made = job(CONFIG, "train.yml", "basicsr-legacy")
    assert said(made) == []
    assert fields(made, "recipe", "crop.hr", "crop.lq", "workers.total") == ("basicsr.SRModel", 128, 32, 12)
    expected = {"num_in_ch": 3, "num_out_ch": 3, "num_feat": 64, "num_block": 16, "upscale": 4}
    assert made.spec["networks.generator.args"] == expected
    assert fields(made, "checkpoint.every", "duration.iterations") == (5000, 1_000_000)
    assert place(made.spec, None)["batch.per_replica"] == 16


def test_other_networks_keep_their_arguments():
    made = job(CONFIG.replace("MSRResNet", "EDSR"), "train.yml", "basicsr-legacy")
    assert made.spec["networks.generator.args"]["nf"] == 64
    made = job(CONFIG.replace("model: sr", "model: srgan"), "train.yml", "basicsr-legacy")
    assert made.spec["recipe"] == "basicsr-legacy.srgan"


def test_missing_keys():
    made = job(
        CONFIG.replace(", upscale: 4", "").replace("niter: 1000000", ""), "train.yml", "basicsr-legacy"
    )
    assert [rule for rule, _ in said(made)] == ["missing-key", "missing-key"]


ONE_NETWORK = (
    CONFIG.replace("network_G: {which_model_G: MSRResNet,", "network: {subnet: Dense,")
    .replace("lr_G: !!float", "lr:")
    .replace("pretrain_model_G", "pretrain_model")
)


def test_a_fork_with_one_network_has_the_keys_of_the_others():
    made = job(ONE_NETWORK, "train.yml", "basicsr-legacy")
    assert [rule for rule, _ in said(made)] == ["number-as-string"]
    assert fields(made, "batch.total", "duration.iterations") == (32, 1_000_000)
    slips = ONE_NETWORK.replace("n_workers: 6", "n_workers: 2.5").replace("lr: ", "lr: !!float ")
    assert [rule for rule, _ in said(job(slips, "train.yml", "basicsr-legacy"))] == ["wrong-type"]


CLASSSR = (
    CONFIG.replace("model: sr", "model: ClassSR\npatch_size: 32\nstep: 28\nfix_SR_module: true")
    .replace("{which_model_G: MSRResNet, in_nc: 3, out_nc: 3, nf: 64, nb: 16, upscale: 4}",
             "{which_model_G: classSR_3class_carn, in_nc: 3, out_nc: 3}")
    .replace("pixel_criterion: l1", "pixel_criterion: ClassSR_loss\n  l1w: 1000\n  class_loss_w: 0.5")
    .replace("class_loss_w: 0.5", "class_loss_w: 0.5\n  average_loss_w: 3")
)  # fmt: skip


def test_classsr_trains_its_classifier():
    made = job(CLASSSR, "train.yml", "basicsr-legacy")
    assert said(made) == []
    assert made.spec["recipe"] == "basicsr-legacy.ClassSR"
    assert made.spec["networks.generator.args"] == {"in_nc": 3, "out_nc": 3}
    assert made.spec["options"] == {"patch_size": 32, "fix_SR_module": True}
    assert [loss["type"] for loss in made.spec["losses"]] == ["ClassSR_loss"]


def test_classsr_needs_its_weights_and_patches():
    made = job(
        CLASSSR.replace("patch_size: 32\n", "").replace("l1w: 1000\n", "\n"), "t.yml", "basicsr-legacy"
    )
    assert [rule for rule, _ in said(made)] == ["missing-key", "missing-key"]


def test_a_networks_scale_is_the_one_at_the_top():
    network = "{which_model_G: fsrcnn, in_nc: 3, out_nc: 3, upscale: 2, d: 16, s: 12, m: 4}"
    made = job(
        CONFIG.replace(
            "{which_model_G: MSRResNet, in_nc: 3, out_nc: 3, nf: 64, nb: 16, upscale: 4}", network
        ),
        "train.yml",
        "basicsr-legacy",
    )
    assert made.spec["networks.generator.args"]["upscale"] == 4


SRGAN = (
    CONFIG.replace("model: sr", "model: srgan")
    .replace(
        "pixel_weight: 1.0",
        "pixel_weight: 0.01\n  feature_criterion: l1\n  feature_weight: 1\n  gan_type: ragan\n"
        "  gan_weight: !!float 5e-3\n  lr_D: !!float 1e-4\n  weight_decay_D: 0",
    )
    .replace("path:", "network_D: {which_model_D: discriminator_vgg_128, in_nc: 3, nf: 64}\npath:", 1)
)


def test_srgan():
    made = job(SRGAN, "train.yml", "basicsr-legacy")
    assert said(made) == []
    assert fields(made, "recipe", "networks.discriminator.arch") == (
        "basicsr-legacy.srgan",
        "VGGStyleDiscriminator",
    )
    assert made.spec["networks.discriminator.args"] == {"num_in_ch": 3, "num_feat": 64}
    assert [(loss["role"], loss["type"]) for loss in made.spec["losses"]] == [
        ("pixel", "l1"), ("perceptual", "l1"), ("gan", "ragan"),
    ]  # fmt: skip
    assert [optimizer["role"] for optimizer in made.spec["optimizers"]] == ["generator", "discriminator"]


def test_a_forks_further_loss_leaves_srgan_open():
    made = job(SRGAN.replace("gan_weight:", "hfen_weight: 1\n  gan_weight:"), "train.yml", "basicsr-legacy")
    assert "losses" not in made.spec


def test_a_weight_of_none_takes_no_loss():
    made = job(SRGAN.replace("feature_weight: 1", "feature_weight: 0"), "train.yml", "basicsr-legacy")
    assert [loss["role"] for loss in made.spec["losses"]] == ["pixel", "gan"]


def test_the_discriminator_of_2018_is_another():
    made = job(SRGAN.replace("nf: 64}\npath", "nf: 64, mode: CNA}\npath"), "train.yml", "basicsr-legacy")
    assert made.spec["networks.discriminator.arch"] == "discriminator_vgg_128"


SRRAGAN = (
    SRGAN.replace("model: srgan", "model: srragan")
    .replace("gan_type: ragan", "gan_type: vanilla")
    .replace("nf: 64}\npath", "norm_type: batch, act_type: leakyrelu, mode: CNA, nf: 64}\npath")
    .replace("{which_model_G: MSRResNet, in_nc: 3, out_nc: 3, nf: 64, nb: 16, upscale: 4}",
             "{which_model_G: RRDB_net, norm_type: ~, mode: CNA, in_nc: 3, out_nc: 3, nf: 64, nb: 23}")
)  # fmt: skip


def test_srragan_of_2018():
    made = job(SRRAGAN, "train.yml", "basicsr-legacy")
    assert said(made) == []
    names = ("recipe", "networks.generator.arch", "networks.discriminator.arch")
    assert fields(made, *names) == ("basicsr-legacy.srragan", "RRDBNet", "discriminator_vgg_128@2018")
    assert made.spec["networks.generator.args"] == {
        "num_in_ch": 3, "num_out_ch": 3, "num_feat": 64, "num_block": 23,
    }  # fmt: skip
    assert [(loss["role"], loss["type"]) for loss in made.spec["losses"]] == [
        ("pixel", "l1"), ("perceptual", "l1"), ("gan", "vanilla"),
    ]  # fmt: skip
    assert [optimizer["role"] for optimizer in made.spec["optimizers"]] == ["generator", "discriminator"]


def test_another_form_of_2018_s_generator_is_another_network():
    for old, new in (
        ("norm_type: ~,", "norm_type: batch,"),
        ("mode: CNA, in_nc", "mode: NAC, in_nc"),
        ("scale: 4", "scale: 2"),
    ):
        made = job(SRRAGAN.replace(old, new, 1), "train.yml", "basicsr-legacy")
        assert made.spec["networks.generator.arch"] == "RRDB_net"


def test_edvr_takes_its_old_arguments():
    old = "which_model_G: EDVR, nf: 64, nframes: 5, groups: 8, front_RBs: 5, back_RBs: 10, w_TSA: true"
    text = CONFIG.replace("which_model_G: MSRResNet, in_nc: 3, out_nc: 3, nf: 64, nb: 16, upscale: 4", old)
    made = job(text.replace("model: sr", "model: video_base"), "train.yml", "basicsr-legacy")
    assert said(made) == []
    assert made.spec["networks.generator.args"]["num_reconstruct_block"] == 10
    assert [*network_problems(made)] == []
    without = job(text.replace("groups: 8, ", ""), "train.yml", "basicsr-legacy")
    assert [rule for rule, _ in said(without)] == ["missing-key"]
