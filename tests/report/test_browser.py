# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The page in headless Chromium: the slider, the hover, phones, the dark. TRAINLINT_BROWSER=1 runs it.

Needs Playwright; CHROMIUM names a browser to take in place of Playwright's own. SCREENSHOTS names a folder
for pictures to look at.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

if "TRAINLINT_BROWSER" not in os.environ:
    pytest.skip("no browser is asked for", allow_module_level=True)

from playwright.sync_api import sync_playwright

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
EVIL = "</script><img src=x onerror=alert(1)>\"'&`\x07\u202e"
SCREENS = {"desktop": (1200, 900), "phone": (390, 844), "narrow": (320, 640)}


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM")
        yield playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Write pages as a user does."""
    folder = tmp_path_factory.mktemp("pages")

    def write(config: Path, *targets: str) -> Path:
        page = folder / f"{config.stem}.html"
        named = [word for target in targets for word in ("-t", target)]
        words = ["explain", str(config), *named, "--no-trace", "--quiet", "--html", str(page)]
        subprocess.run([sys.executable, "-m", "trainlint", *words], check=True, capture_output=True)
        return page

    return write


@pytest.fixture(scope="module")
def gan(written) -> Path:
    return written(EXAMPLES / "esrgan_x4.yml", "rtx-3060", "rtx-4090")


@pytest.fixture
def show(browser):
    """Open a page on a screen; whatever the console says or the page asks for is wrong."""
    wrong: list[str] = []

    def opened(path: Path, screen: str = "desktop", scheme: str = "light"):
        width, height = SCREENS[screen]
        touch = screen != "desktop"
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=touch, is_mobile=touch
        )
        page = context.new_page()
        page.on("console", lambda said: wrong.append(said.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(dialog.message))
        page.on("request", lambda asked: None if asked.url == path.as_uri() else wrong.append(asked.url))
        page.goto(path.as_uri())
        page.wait_for_function("!document.querySelector('.chart') || document.querySelector('.u-over')")
        return page

    yield opened
    assert wrong == []


def gib(text: str) -> float:
    return float(re.search(r"([\d.]+) GiB", text)[1])


def slide(page, batch: int) -> str:
    page.locator(".batch").evaluate(
        "(slider, batch) => { slider.value = batch; slider.dispatchEvent(new Event('input')); }", batch
    )
    return page.locator(".answer").text_content()


def test_the_slider_moves_the_curve_against_the_cards(show, gan) -> None:
    page = show(gan)
    before = page.locator(".answer").text_content()
    assert "rtx-3060: fits" in before
    assert page.locator(".chosen").text_content() == "16 (the config's)"
    picture = page.locator(".chart canvas").evaluate("canvas => canvas.toDataURL()")
    peaks = [gib(slide(page, batch)) for batch in (8, 16, 24, 40)]
    assert peaks == sorted(peaks)
    assert peaks[1] == gib(before)
    assert abs((peaks[2] - peaks[1]) * 3 - (peaks[3] - peaks[0]) * 0.75) < 0.1
    assert picture != page.locator(".chart canvas").evaluate("canvas => canvas.toDataURL()")
    said = slide(page, 41)
    assert "rtx-3060: does not fit (40 is the limit)" in said
    assert "rtx-4090: fits" in said
    page.locator(".batch").focus()
    page.keyboard.press("ArrowLeft")
    assert page.locator(".chosen").text_content() == "40"


def test_the_pointer_names_tensor_and_module(show, gan) -> None:
    page = show(gan)
    over = page.locator(".u-over")
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.9)
    tip = page.locator(".tip").text_content()
    assert re.search(r"generator:[\w.]+", tip)
    assert "backward pass" in tip
    assert "the largest: " in tip
    inside = page.locator(".tip").bounding_box()
    assert box["x"] <= inside["x"]
    assert inside["x"] + inside["width"] <= box["x"] + box["width"] + 1
    page.mouse.move(5, 5)
    assert page.locator(".tip").is_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_it_fits_every_screen(show, gan, screen, scheme) -> None:
    page = show(gan, screen, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= SCREENS[screen][0]
    back = page.evaluate("getComputedStyle(document.body).backgroundColor")
    dark = max(map(int, re.findall(r"\d+", back))) < 64
    assert dark == (scheme == "dark")
    if screen != "desktop":
        over = page.locator(".u-over")
        over.scroll_into_view_if_needed()
        box = over.bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.8)
        assert "of tensors" in page.locator(".tip").text_content()
    if "SCREENSHOTS" in os.environ:
        page.screenshot(path=Path(os.environ["SCREENSHOTS"]) / f"{screen}-{scheme}.png", full_page=True)


def test_a_scene_is_chosen_and_a_card_that_is_too_small_is_red(show, written) -> None:
    page = show(written(EXAMPLES / "realesrgan_x4.yml", "kaggle-t4x2"))
    assert "does not fit" in page.locator(".answer").text_content()
    options = page.locator(".workload option").all_text_contents()
    assert len(options) == 2  # of the reading that is shown: GPU 0 and the other one
    first = page.locator(".answer").text_content()
    page.locator(".workload").select_option(str(len(options) - 1))
    assert page.locator(".answer").text_content() != first
    assert page.locator(".finding.fail").count() >= 2
    assert page.locator(".diff .in").first.text_content().endswith("batch_size_per_gpu: 6")


def test_a_hostile_config_is_text(show, written, tmp_path) -> None:
    plain = (EXAMPLES / "msrresnet_x4.yml").read_text("utf-8")
    path = tmp_path / "<b onclick=alert(1)>'&.yml"
    name = json.dumps(EVIL)
    path.write_text(plain.replace("name: msrresnet_x4", f"name: {name}\n{name}: {name}", 1), "utf-8")
    page = show(written(path, "rtx-4090"))
    assert "onerror=alert(1)" in page.locator("h2").text_content()
    assert page.locator("img, b[onclick]").count() == 0
    assert page.locator(".u-over").count() == 1


def test_the_page_of_check_has_no_curves(show, tmp_path) -> None:
    path = tmp_path / "report.html"
    words = [
        "check",
        str(EXAMPLES / "typos.yml"),
        "-t",
        "rtx-4090",
        "--no-trace",
        "--format",
        "html",
        "-o",
        str(path),
    ]
    subprocess.run([sys.executable, "-m", "trainlint", *words], check=False, capture_output=True)
    page = show(path)
    assert page.locator(".finding").count() >= 3
    assert page.locator(".chart").count() == 0


def test_the_recommended_edit_is_at_the_top_and_one_reading_is_shown(show, written) -> None:
    page = show(written(EXAMPLES / "realesrgan_x4.yml", "kaggle-t4x2"))
    assert (
        "batch_size_per_gpu: 12 -> 6 (7 breaks queue-not-divisible), then "
        in page.locator(".advice b").text_content()
    )
    rows = page.locator(".targets tbody tr:visible")
    assert (rows.count(), page.locator(".plan:visible").count()) == (1, 1)
    before = rows.first.text_content()
    assert all("without torchrun" in one for one in page.locator(".workload option").all_text_contents())
    page.locator("select.reading").select_option("with a launcher")
    assert page.locator(".targets tbody tr:visible").count() == 1
    assert page.locator(".targets tbody tr:visible").first.text_content() != before
    assert all("with torchrun" in one for one in page.locator(".workload option").all_text_contents())


def test_a_folder_is_worst_first_and_its_index_leads_there(show, tmp_path) -> None:
    path = tmp_path / "folder.html"
    words = ["check", str(EXAMPLES), "-t", "rtx-3060", "--no-trace", "--format", "html", "-o", str(path)]
    subprocess.run([sys.executable, "-m", "trainlint", *words], check=False, capture_output=True)
    page = show(path)
    verdicts = page.locator(".index tbody .badge").all_text_contents()
    assert verdicts == [text.split()[0] for text in page.locator("article h2").all_text_contents()]
    assert verdicts.index("FAIL") == 0
    assert verdicts == sorted(verdicts, key=["FAIL", "warn", "skip", "pass"].index)
    page.locator(".index a").last.click()
    assert page.evaluate("scrollY") > 1000
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200
