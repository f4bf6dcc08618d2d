# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Make the models, tokenizers and data that the programs of `dry_runs` are given.

    PYTHONPATH=lint python -m bench dry_run_inputs FOLDER

That python has torchvision, transformers, tokenizers, diffusers, numpy and Pillow. Nothing is downloaded:
texts, pictures and small weights are random, large weights zeros that take no room on the disk.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from diffusers import (
    AutoencoderKL,
    DDPMScheduler,
    StableDiffusionPipeline,
    StableDiffusionXLPipeline,
    UNet2DConditionModel,
)
from PIL import Image
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torchvision.models.detection import FasterRCNN_ResNet50_FPN_Weights
from transformers import (
    CLIPTextConfig,
    CLIPTextModel,
    CLIPTextModelWithProjection,
    CLIPTokenizer,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

from bench.commands import parser_of
from bench.dry_run.zero_models import make_models
from bench.dry_run.zeros import write_zeros

SYLLABLES = [first + last for first in "bdfgklmnprst" for last in "aeiou"]
CHAT = (
    "{% for message in messages %}<s>{{ message['role'] }} {% generation %}{{ message['content'] }}</s>"
    "{% endgeneration %}{% endfor %}"
)
SPECIAL = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
PAIRS = 64
"""Pictures, and samples of text."""
QUESTION_TOKENS = 610
"""Tokens of each of PEFT's samples: of six lengths the one with which LoRA of rank 32 reserves
what was measured of it (docs/dry-run.md); its other rows were not looked at for that."""


def main() -> None:
    """Make everything."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    _texts(folder)
    _pictures(folder)
    _pets(folder / "pets")
    _pairs(folder / "pairs")
    _letters(folder / "letters")
    _boxes(folder / "boxes")
    _coco(folder / "coco")
    _conditions(folder / "conditions")
    _organs(folder / "organs")
    _hub(folder / "hub")
    _llama(folder / "llama")
    _questions(folder / "questions")
    _stable_diffusion(folder / "sd", channels=(32, 64))
    _stable_diffusion(folder / "sd_eighth", channels=(32, 64, 64, 64))
    _stable_diffusion_xl(folder / "sdxl")
    make_models(folder / "models", _letters_as_tokens()[0])


def _sentences(count: int, words: int = 60) -> Iterator[str]:
    chance = random.Random(0)  # noqa: S311 - no secret
    for _ in range(count):
        yield (
            " ".join(
                "".join(chance.choices(SYLLABLES, k=chance.randint(1, 3))) for _ in range(words)
            ).capitalize()
            + "."
        )


def _texts(folder: Path) -> None:
    texts = list(_sentences(PAIRS * 8))
    (folder / "text").mkdir(exist_ok=True)
    lines = (json.dumps({"text": text}) + "\n" for text in texts)
    (folder / "text" / "train.jsonl").write_text("".join(lines), encoding="utf-8")
    (folder / "instructions").mkdir(exist_ok=True)
    told = [{"instruction": text[:80], "input": "", "output": text[80:]} for text in texts]
    (folder / "instructions" / "made_up.json").write_text(json.dumps(told), encoding="utf-8")
    long = [{**told[at], "output": " ".join(texts[at : at + 24])} for at in range(0, len(texts) - 24, 4)]
    (folder / "instructions" / "long.json").write_text(json.dumps(long), encoding="utf-8")
    (folder / "instructions" / "dataset_info.json").write_text(
        json.dumps({"made_up": {"file_name": "made_up.json"}}), encoding="utf-8"
    )
    (folder / "words").mkdir(exist_ok=True)
    for part in ("train", "valid", "test"):
        (folder / "words" / f"{part}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    (folder / "tokens").mkdir(exist_ok=True)
    for part in ("train", "val"):
        tokens = np.random.default_rng(0).integers(0, 50257, 1 << 17, dtype=np.uint16)
        tokens.tofile(folder / "tokens" / f"{part}.bin")


def _pictures(folder: Path) -> None:
    chance = np.random.default_rng(0)
    for place in ("pictures/one", "segments/imgs", "segments/masks"):
        (folder / place).mkdir(parents=True, exist_ok=True)
    rows = []
    for at in range(PAIRS):
        picture = Image.fromarray(chance.integers(0, 256, (512, 512, 3), dtype=np.uint8))
        picture.save(folder / "pictures" / "one" / f"{at:03}.png")
        picture.save(folder / "segments" / "imgs" / f"{at:03}.png")
        mask = Image.fromarray(chance.integers(0, 2, (512, 512), dtype=np.uint8) * 255)
        mask.save(folder / "segments" / "masks" / f"{at:03}_mask.png")
        rows.append(json.dumps({"file_name": f"one/{at:03}.png", "text": next(_sentences(1, 8))}))
    (folder / "pictures" / "metadata.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


def _pets(folder: Path) -> None:
    """Make photographs with the name of what they show, and folders of them as ImageNet has them."""
    chance = np.random.default_rng(2)
    places = [folder, *(folder / part / name for part in ("train", "val") for name in ("cat", "dog"))]
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
    for at in range(PAIRS):
        picture = Image.fromarray(chance.integers(0, 256, (256, 256, 3), dtype=np.uint8))
        name = ("cat", "dog")[at % 2]
        for place in (folder, folder / "train" / name, folder / "val" / name):
            picture.save(place / f"{name}_{at:03}.jpg")


def _pairs(folder: Path) -> None:
    """Make images of 128 pixels, and of the same name what is left of them at 16."""
    chance = np.random.default_rng(3)
    for at in range(PAIRS):
        picture = Image.fromarray(chance.integers(0, 256, (128, 128, 3), dtype=np.uint8))
        small = picture.resize((16, 16))
        for place, image in (("hr_128", picture), ("lr_16", small), ("sr_16_128", small.resize((128, 128)))):
            (folder / place).mkdir(parents=True, exist_ok=True)
            image.save(folder / place / f"{at:05}.png")


def _letters(folder: Path) -> None:
    """Make a text as long as those of the Hutter prize, of few sentences that come again."""
    folder.mkdir(exist_ok=True)
    text = "\n".join(_sentences(PAIRS)).encode()
    with gzip.open(folder / "enwik8.gz", "wb", compresslevel=1) as file:
        file.write((text * (10**8 // len(text) + 1))[: 10**8])


def _boxes(folder: Path) -> None:
    """Make pictures with a box or a few in each, as YOLO's lists have them."""
    chance = np.random.default_rng(1)
    for part in ("images", "labels"):
        (folder / part / "train").mkdir(parents=True, exist_ok=True)
    for at in range(PAIRS):
        picture = Image.fromarray(chance.integers(0, 256, (320, 320, 3), dtype=np.uint8))
        picture.save(folder / "images" / "train" / f"{at:03}.png")
        boxes = "".join(f"{at % 2} {x:.3f} 0.5 0.2 0.3\n" for x in chance.uniform(0.2, 0.8, 1 + at % 3))
        (folder / "labels" / "train" / f"{at:03}.txt").write_text(boxes, encoding="utf-8")
    lines = [f"path: {folder.resolve()}", "train: images/train", "val: images/train", "names: [one, two]"]
    (folder / "data.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _coco(folder: Path) -> None:
    """Make photographs with two outlined things in each, as COCO lists them, under its names for things."""
    chance = np.random.default_rng(4)
    names = FasterRCNN_ResNet50_FPN_Weights.COCO_V1.meta["categories"]
    things = [
        {"id": at, "name": name} for at, name in enumerate(names) if name not in ("__background__", "N/A")
    ]
    (folder / "annotations").mkdir(parents=True, exist_ok=True)
    for part in ("train2017", "val2017"):
        (folder / part).mkdir(exist_ok=True)
        images: list[dict[str, Any]] = []
        outlines: list[dict[str, Any]] = []
        for at in range(PAIRS):
            picture = Image.fromarray(chance.integers(0, 256, (320, 320, 3), dtype=np.uint8))
            picture.save(folder / part / f"{at:012}.jpg")
            images.append({"id": at, "file_name": f"{at:012}.jpg", "width": 320, "height": 320})
            for thing in (2, 5):
                x, y = chance.integers(0, 200, 2).tolist()
                corners = [x, y, x + 100, y, x + 100, y + 80, x, y + 80]
                outlines.append({
                    "id": len(outlines) + 1, "image_id": at, "category_id": thing, "iscrowd": 0,
                    "bbox": [x, y, 100, 80], "area": 8000, "segmentation": [corners],
                })  # fmt: skip
        listed = {"info": {}, "licenses": [], "images": images, "annotations": outlines, "categories": things}
        (folder / "annotations" / f"instances_{part}.json").write_text(json.dumps(listed), encoding="utf-8")


def _conditions(folder: Path) -> None:
    """Make pictures, each with another one that a network is told to follow, and a text."""
    chance = np.random.default_rng(5)
    folder.mkdir(exist_ok=True)
    rows = []
    for at in range(PAIRS // 4):
        row = {"text": next(_sentences(1, 8))}
        for name in ("image", "condition"):
            row[f"{name}_file_name"] = f"{name}_{at:03}.png"
            picture = Image.fromarray(chance.integers(0, 256, (256, 256, 3), dtype=np.uint8))
            picture.save(folder / row[f"{name}_file_name"])
        rows.append(json.dumps(row))
    (folder / "metadata.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


def _organs(folder: Path) -> None:
    """Make pictures with a bright patch in each, as nnU-Net wants a raw data set."""
    chance = np.random.default_rng(6)
    place = folder / "Dataset001_Made"
    for part in ("imagesTr", "labelsTr"):
        (place / part).mkdir(parents=True, exist_ok=True)
    for at in range(PAIRS // 4):
        label = np.zeros((128, 128), dtype=np.uint8)
        x, y = chance.integers(0, 64, 2)
        label[x : x + 48, y : y + 48] = 1
        picture = (chance.integers(0, 128, label.shape) + 100 * label).astype(np.uint8)
        Image.fromarray(picture).save(place / "imagesTr" / f"made_{at:03}_0000.png")
        Image.fromarray(label).save(place / "labelsTr" / f"made_{at:03}.png")
    described = {
        "channel_names": {"0": "brightness"},
        "labels": {"background": 0, "organ": 1},
        "numTraining": PAIRS // 4,
        "file_ending": ".png",
    }
    (place / "dataset.json").write_text(json.dumps(described), encoding="utf-8")


def _hub(folder: Path) -> None:
    """Make what the hubs leave of a model whose weights were not fetched yet, and of a repository."""
    revision = "7a57b34f723329ff020b3f8bc41771163c519d0c"
    place = folder / "hub" / "models--smp-hub--resnet34.imagenet" / "snapshots" / revision
    place.mkdir(parents=True, exist_ok=True)
    (place / "config.json").write_text("{}", encoding="utf-8")
    repository = folder / "torch" / "hub" / "facebookresearch_xcit_main"  # DINO asks what it has
    repository.mkdir(parents=True, exist_ok=True)
    (repository / "hubconf.py").write_text("dependencies = []\n", encoding="utf-8")


def _llama(folder: Path) -> None:
    tokenizer = Tokenizer(models.BPE(unk_token=SPECIAL["unk_token"]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=4096, special_tokens=list(SPECIAL.values()))
    tokenizer.train_from_iterator(_sentences(512), trainer)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        **SPECIAL,
        model_max_length=512,
        chat_template=CHAT,
    ).save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=4096,
        hidden_size=512,
        intermediate_size=1408,
        num_hidden_layers=8,
        num_attention_heads=8,
        num_key_value_heads=4,
        max_position_embeddings=1024,
    )
    LlamaForCausalLM(config).save_pretrained(folder)


def _questions(folder: Path) -> None:
    """Make what PEFT's MetaMathQA benchmark loads: questions of one length, and a Llama 3.2 3B of zeros."""
    tokenizer = Tokenizer.from_file(str(folder.parent / "llama" / "tokenizer.json"))
    query = next(_sentences(1, 8))
    length = len(tokenizer.encode(f"Question: {query} Think step by step.\nAnswer:").ids)
    asked = {
        "query": query, "original_question": query, "type": "made up",
        "response": "0" * (QUESTION_TOKENS - length),  # a digit is a token: none was learned
    }  # fmt: skip
    told = {"question": query, "answer": "#### 0"}
    for name, rows in (
        ("MetaMathQA/train", [asked] * PAIRS * 8), ("gsm8k/train", [told] * PAIRS),
        ("gsm8k/test", [told] * PAIRS), ("finewiki/train", [{"text": query}] * PAIRS),
    ):  # fmt: skip
        file = folder / f"{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    splits = "".join(f"  - split: {part}\n    path: {part}.jsonl\n" for part in ("train", "test"))
    text = f"---\nconfigs:\n- config_name: main\n  data_files:\n{splits}---\n"
    (folder / "gsm8k" / "README.md").write_text(text, encoding="utf-8")
    _llama_of_zeros(folder / "Llama-3.2-3B", folder.parent / "llama")


def _llama_of_zeros(folder: Path, tokenizer: Path) -> None:
    """Make a Llama 3.2 3B at its size."""
    folder.mkdir(exist_ok=True)
    config = LlamaConfig(
        vocab_size=128256, hidden_size=3072, intermediate_size=8192, num_hidden_layers=28,
        num_attention_heads=24, num_key_value_heads=8, head_dim=128, max_position_embeddings=131072,
        rms_norm_eps=1e-5, rope_theta=500000.0, tie_word_embeddings=True, architectures=["LlamaForCausalLM"],
        dtype="bfloat16",
    )  # fmt: skip
    config.save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_bytes((tokenizer / name).read_bytes())
    with torch.device("meta"):
        write_zeros(LlamaForCausalLM(config), folder / "model.safetensors", "BF16")


def _stable_diffusion(folder: Path, channels: tuple[int, ...]) -> None:
    """Make a small one, whose latents are as many times smaller than the image as `channels` say."""
    tokenizer, text = _letters_as_tokens()
    StableDiffusionPipeline(
        vae=_autoencoder(channels),
        text_encoder=CLIPTextModel(text),
        tokenizer=tokenizer,
        unet=_unet(cross_attention_dim=64),
        scheduler=DDPMScheduler(beta_schedule="scaled_linear"),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    ).save_pretrained(folder)


def _stable_diffusion_xl(folder: Path) -> None:
    tokenizer, text = _letters_as_tokens()
    StableDiffusionXLPipeline(
        vae=_autoencoder((32, 64)),
        text_encoder=CLIPTextModel(text),
        text_encoder_2=CLIPTextModelWithProjection(text),
        tokenizer=tokenizer,
        tokenizer_2=tokenizer,
        unet=_unet(
            cross_attention_dim=128,  # of both text encoders
            addition_embed_type="text_time",
            addition_time_embed_dim=8,
            projection_class_embeddings_input_dim=6 * 8 + text.projection_dim,
        ),
        scheduler=DDPMScheduler(beta_schedule="scaled_linear"),
    ).save_pretrained(folder)


def _letters_as_tokens() -> tuple[CLIPTokenizer, CLIPTextConfig]:
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    tokens = [*letters, *(letter + "</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    words = {token: at for at, token in enumerate(tokens)}
    text = CLIPTextConfig(
        vocab_size=len(tokens),
        hidden_size=64,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        projection_dim=64,
        bos_token_id=len(tokens) - 2,
        eos_token_id=len(tokens) - 1,
        pad_token_id=len(tokens) - 1,
    )
    return CLIPTokenizer(vocab=words, merges=[], model_max_length=77), text


def _unet(**more: Any) -> UNet2DConditionModel:
    return UNet2DConditionModel(
        sample_size=64,
        block_out_channels=(32, 64),
        layers_per_block=1,
        attention_head_dim=8,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
        **more,
    )


def _autoencoder(channels: tuple[int, ...]) -> AutoencoderKL:
    return AutoencoderKL(
        block_out_channels=channels,
        down_block_types=("DownEncoderBlock2D",) * len(channels),
        up_block_types=("UpDecoderBlock2D",) * len(channels),
        latent_channels=4,
        sample_size=128,
    )


if __name__ == "__main__":
    main()
