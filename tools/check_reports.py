#!/usr/bin/env python3
"""Lets other tools read what `tandem train` leaves in its output directories.

  check_reports.py --screenshots DIR OUTPUT...
Each OUTPUT comes from a run with --report-to tensorboard and rows to evaluate. TensorBoard's own
reader must see the log's numbers, huggingface_hub the results in the model card, and Chromium must
show report.html without a message, a request or anything wider than the page, light and dark, 400
and 1600 pixels wide. Prints what was found; exits with 1 at the first fault.
"""
import argparse
import json
import math
import pathlib
import sys

from huggingface_hub import ModelCard
from playwright.sync_api import sync_playwright
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

WIDTHS = (400, 1600)
SCHEMES = ("light", "dark")


def require(condition: bool, message: str) -> None:
    if not condition:
        sys.exit(f"check_reports: {message}")


def tag_of(key: str) -> str:
    return "eval/" + key.removeprefix("eval_") if key.startswith("eval_") else "train/" + key


def check_events(output: pathlib.Path) -> None:
    (folder,) = (output / "runs").iterdir()
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 0})
    events.Reload()
    log = json.loads((output / "trainer_state.json").read_text())["log_history"]
    points = 0
    for entry in log:
        for key, value in entry.items():
            if key == "step":
                continue
            seen = [event.value for event in events.Scalars(tag_of(key))
                    if event.step == entry["step"]]
            near = any(math.isclose(value, other, rel_tol=1e-6) for other in seen)
            require(near, f"{folder}: {tag_of(key)} at step {entry['step']}: {seen}, log: {value}")
            points += 1
    texts = events.Tags()["tensors"]
    require(set(texts) == {"args/text_summary", "model_config/text_summary"}, f"texts: {texts}")
    (arguments,) = events.Tensors("args/text_summary")
    require(json.loads(arguments.tensor_proto.string_val[0])["seed"] == 42, "args are others")
    print(f"{output}: TensorBoard reads {points} numbers of {len(log)} entries, and both texts")


def check_card(output: pathlib.Path) -> None:
    card = ModelCard.load(output / "README.md")
    results = json.loads((output / "eval_results.json").read_text())
    require(bool(card.data.eval_results), f"{output}: the card has no results")
    for result in card.data.eval_results:
        value = results["eval_" + result.metric_name.lower().replace(" ", "_")]
        require(result.metric_value == value, f"{output}: {result} is not {value}")
    again = ModelCard(str(card)).data
    require(again.eval_results == card.data.eval_results, f"{output}: lost when written again")
    print(f"{output}: huggingface_hub reads",
          ", ".join(f"{r.metric_type} {r.metric_value:.4f}" for r in card.data.eval_results))


def check_page(browser, output: pathlib.Path, width: int, scheme: str,
               pictures: pathlib.Path) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda message: faults.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    page.on("request", lambda request: faults.append(f"request: {request.url}")
            if not request.url.startswith("file:") else None)
    page.goto((output / "report.html").absolute().as_uri())
    wide = page.evaluate("document.documentElement.scrollWidth")
    require(wide <= width, f"{output}: {wide} pixels wide in a window of {width}")
    picture = pictures / f"{output.name}-{scheme}-{width}.png"
    page.screenshot(path=picture, full_page=True)
    require(not faults, f"{output}: {faults}")
    print(f"{picture}: no message, nothing wider than the page")
    context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--screenshots", type=pathlib.Path, required=True)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("outputs", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    for output in arguments.outputs:
        check_events(output)
        check_card(output)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.chromium,
                                             args=["--no-sandbox"])
        for output in arguments.outputs:
            for width in WIDTHS:
                for scheme in SCHEMES:
                    check_page(browser, output, width, scheme, arguments.screenshots)
        browser.close()


if __name__ == "__main__":
    main()
