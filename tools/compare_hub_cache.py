#!/usr/bin/env python3
"""Exchanges caches between `tandem fetch` and huggingface_hub, over a hub on this machine.

    compare_hub_cache.py --tandem build/release/tandem

Run with the Python of an environment that has huggingface_hub 2.4, transformers 5.24 and PyTorch. What
one has fetched the other must find whole, without asking for it again, offline too; and of both at
the same time one fetches and the other waits. Exits with 1 at the first thing that isn't so.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "tests" / "cli"))
from hub_server import COMMIT, Hub  # noqa: E402
from model_files import make_model  # noqa: E402

NAME = "org/tiny-bert"
WEIGHTS = "model.safetensors"

OFFLINE = """
import huggingface_hub as hub, transformers, sys
from huggingface_hub.file_download import _CACHED_NO_EXIST
name, commit = sys.argv[1:]
folder = hub.snapshot_download(name, local_files_only=True)
assert folder.endswith(commit), folder
assert hub.hf_hub_download(name, "config.json") == folder + "/config.json"
assert hub.try_to_load_from_cache(name, "added_tokens.json") is _CACHED_NO_EXIST
cache = hub.scan_cache_dir()
assert not cache.warnings, cache.warnings
(repository,) = cache.repos
(revision,) = repository.revisions
assert repository.repo_id == name and revision.commit_hash == commit and revision.refs == {"main"}
assert {file.file_name for file in revision.files} == {"config.json", "vocab.txt", "model.safetensors"}
model = transformers.AutoModelForSequenceClassification.from_pretrained(name)
tokenizer = transformers.AutoTokenizer.from_pretrained(name)
print(model(**tokenizer("good film", return_tensors="pt")).logits.tolist())
"""
ONLINE = """
import huggingface_hub as hub, sys
for file in sys.argv[2:]:
    hub.hf_hub_download(sys.argv[1], file)
"""


class Exchange:
    def __init__(self, tandem: str, directory: pathlib.Path) -> None:
        self.tandem, self.directory = tandem, directory
        model = make_model(directory / "model")
        self.hub = Hub(NAME, {path.name: path.read_bytes() for path in model.iterdir()})
        self.files = list(self.hub.files)

    def environment(self, home: str, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith("HF_") and not name.lower().endswith("_proxy")}
        return kept | {"HF_HOME": str(self.directory / home), "HF_ENDPOINT": self.hub.address,
                       "HF_HUB_DISABLE_TELEMETRY": "1"} | more

    def run_tandem(self, home: str, **more: str) -> str:
        return subprocess.run([self.tandem, "fetch", NAME], env=self.environment(home, **more),
                              check=True, capture_output=True, text=True).stdout.strip()

    def run_python(self, code: str, *arguments: str, home: str, **more: str) -> str:
        return subprocess.run([sys.executable, "-c", code, NAME, *arguments], check=True, text=True,
                              env=self.environment(home, **more), stdout=subprocess.PIPE).stdout

    def contents_asked_for(self) -> int:
        return sum(request.server == "store" for request in self.hub.requests)

    def ours_is_used(self) -> None:
        folder = self.run_tandem("ours")
        assert folder.endswith(f"models--org--tiny-bert/snapshots/{COMMIT}"), folder
        self.run_python(OFFLINE, COMMIT, home="ours", HF_HUB_OFFLINE="1")
        before = self.contents_asked_for()
        self.run_python(ONLINE, *self.files, home="ours")
        assert self.contents_asked_for() == before, "a content was fetched again"

    def theirs_is_used(self) -> None:
        self.run_python(ONLINE, *self.files, home="theirs")
        before = len(self.hub.asked("/resolve/"))
        folder = self.run_tandem("theirs", HF_HUB_OFFLINE="1")
        assert self.run_tandem("theirs") == folder
        assert len(self.hub.asked("/resolve/")) == before, "a file was fetched again"
        self.run_python(OFFLINE, COMMIT, home="theirs", HF_HUB_OFFLINE="1")

    def both_wait_for_each_other(self) -> None:
        def slow(handler, request):
            if request.server != "store":
                return False
            time.sleep(3)
            handler.answer(request)
            return True
        self.hub.faults.append(slow)
        python = [sys.executable, "-c", ONLINE, NAME, WEIGHTS]
        tandem = [self.tandem, "fetch", NAME]
        for home, commands in (("they-first", (python, tandem)), ("we-first", (tandem, python))):
            before = self.contents_asked_for()
            processes = []
            for command in commands:
                processes.append(subprocess.Popen(command, env=self.environment(home),
                                                  stdout=subprocess.DEVNULL))
                while self.contents_asked_for() == before:
                    assert processes[0].poll() is None, "it ended too early"
                    time.sleep(0.05)
            assert [process.wait() for process in processes] == [0, 0]
            assert self.contents_asked_for() == before + 1, "both fetched it"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tandem", default="build/release/tandem")
    tandem = str(pathlib.Path(parser.parse_args().tandem).resolve())
    with tempfile.TemporaryDirectory() as directory:
        exchange = Exchange(tandem, pathlib.Path(directory))
        for check in (exchange.ours_is_used, exchange.theirs_is_used,
                      exchange.both_wait_for_each_other):
            check()
            print(f"{check.__name__.replace('_', ' ')}: yes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
