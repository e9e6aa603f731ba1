"""Models by their names on the hub: `tandem fetch` against a hub on this machine that fails in every
way that a test wants, and what the other commands make of the cache."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import hub_server
from hub_server import COMMIT, Hub, break_after, stall_after, status
from model_files import make_model
from program import (BINARY, DATA, INTERRUPTED, MACHINE, MODEL, USAGE, WALL, ProgramTest,
                     environment, run)

NAME = "org/tiny-bert"
WEIGHTS = "model.safetensors"


def model_content() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as directory:
        model = make_model(pathlib.Path(directory) / "model")
        return {path.name: path.read_bytes() for path in model.iterdir()}


MODEL_CONTENT = model_content()


class FetchTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.cache = self.directory / "home" / "hub"
        self.serve(MODEL_CONTENT | {"README.md": b"not needed"})

    def serve(self, files: dict[str, bytes], kind: str = "models", name: str = NAME) -> None:
        self.hub = Hub(name, files, kind)
        self.addCleanup(self.hub.close)

    def environment(self, **variables: str) -> dict[str, str]:
        return environment(**({"HF_HOME": str(self.directory / "home"),
                               "HF_ENDPOINT": self.hub.address} | variables))

    @property
    def repository(self) -> pathlib.Path:
        return self.cache / f"models--{NAME.replace('/', '--')}"

    @property
    def snapshot(self) -> pathlib.Path:
        return self.repository / "snapshots" / COMMIT

    @property
    def weights(self) -> hub_server.File:
        return self.hub.files[WEIGHTS]

    def fetch(self, *more, name: str = NAME, **variables: str):
        return run("fetch", name, *more, env=self.environment(**variables))

    def fetches(self, *more, **variables: str):
        """Fetches, and looks at what then is in the cache."""
        result = self.fetch(*more, **variables)
        self.assertEqual(result.code, 0, result.err)
        self.assert_no_crash(result)
        self.assert_whole()
        return result

    def assert_whole(self) -> None:
        for path, file in self.hub.files.items():
            if path != "README.md":
                self.assertEqual((self.snapshot / path).read_bytes(), file.content, path)
        self.assertEqual(sorted(path.name for path in (self.repository / "blobs").iterdir()),
                         sorted({file.etag for path, file in self.hub.files.items()
                                 if path != "README.md"}))
        self.assertEqual((self.repository / "refs" / "main").read_text(), COMMIT)
        self.assert_no_temporary_files()

    def refuses(self, code: int, texts: list[str], *more, name: str = NAME,
                **variables: str) -> None:
        """Fails with one message, and leaves no model that anyone would find."""
        result = self.fetch(*more, name=name, **variables)
        self.assertEqual(result.code, code, result.err)
        self.assert_no_crash(result)
        self.assertEqual(result.out, "")
        last = result.err.splitlines()[-1]
        self.assertTrue(last.startswith("tandem: "), result.err)
        for text in texts:
            self.assertIn(text, last)
        self.assertFalse((self.repository / "refs").exists())
        self.assertFalse((self.snapshot / WEIGHTS).exists())

    def start(self, *more, **variables: str) -> subprocess.Popen:
        return subprocess.Popen([BINARY, "fetch", NAME, *map(str, more)], text=True,
                                env=self.environment(**variables), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def wait_for_weights(self) -> None:
        """Until 9,000 bytes of them have come."""
        deadline = time.monotonic() + 60
        while not [part for part in self.repository.glob("blobs/*.incomplete")
                   if part.stat().st_size == 9_000]:
            self.assertLess(time.monotonic(), deadline, "it did not come to that")
            time.sleep(0.01)


class Cache(FetchTest):
    def test_layout_is_that_of_huggingface_hub(self):
        result = self.fetches()
        self.assertEqual(result.out, f"{self.snapshot}\n")
        link = os.readlink(self.snapshot / WEIGHTS)
        self.assertEqual(link, f"../../blobs/{self.weights.sha256}")
        self.assertIn(f"{WEIGHTS}: {len(self.weights.content)} bytes, verified by SHA-256",
                      result.err)
        self.assertIn("config.json", result.err)
        self.assertIn("verified by git SHA-1", result.err)
        for name in ("tokenizer.json", "added_tokens.json"):
            self.assertEqual((self.repository / ".no_exist" / COMMIT / name).read_bytes(), b"")
        locks = self.cache / ".locks" / self.repository.name
        self.assertTrue((locks / f"{self.weights.sha256}.lock").exists())
        self.assertIn("Signature: 8a477f597d28d172789f06886806bc55",
                      (self.cache / "CACHEDIR.TAG").read_text())
        self.assertFalse((self.snapshot / "README.md").exists())

    def test_what_is_there_is_not_fetched_again(self):
        self.fetches()
        self.hub.requests.clear()
        answer = json.loads(self.fetches("--json").out)
        self.assertEqual(len(self.hub.asked("")), 1, "the list of files alone")
        self.assertEqual((answer["commit"], answer["directory"]), (COMMIT, str(self.snapshot)))
        self.assertEqual({file["name"]: file["was_there"] for file in answer["files"]},
                         {"config.json": True, "vocab.txt": True, WEIGHTS: True})

    def test_a_commit_that_is_there_needs_no_hub(self):
        self.fetches()
        self.hub.requests.clear()
        self.fetches("--revision", COMMIT)
        self.assertEqual(self.hub.asked(""), [])

    def test_another_revision_shares_contents(self):
        self.fetches()
        self.hub.requests.clear()
        self.hub.commit = "d" * 40
        result = self.fetch("--revision", "refs/pr/1")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual((self.repository / "refs/refs/pr/1").read_text(), "d" * 40)
        self.assertEqual(self.hub.asked("resolve"), [])
        self.assertEqual(self.hub.asked("")[0].path,
                         f"/api/models/{NAME}/revision/refs%2Fpr%2F1?blobs=true")

    def test_a_blob_cut_short_is_fetched_again(self):
        self.fetches()
        blob = self.repository / "blobs" / self.weights.sha256
        blob.write_bytes(blob.read_bytes()[:100])
        self.fetches()

    def test_copies_where_links_are_not_wanted(self):
        self.fetches(HF_HUB_DISABLE_SYMLINKS="1")
        self.assertFalse((self.snapshot / WEIGHTS).is_symlink())

    def test_the_cache_is_where_the_variables_say(self):
        self.cache = self.directory / "elsewhere"
        self.fetches(HF_HUB_CACHE=str(self.cache))
        self.cache = self.directory / "given"
        self.fetches("--cache-dir", self.cache, HF_HUB_CACHE="/nonexistent")

    def test_weights_in_several_files(self):
        shard = {"a.safetensors": MODEL_CONTENT[WEIGHTS], "b.safetensors": b"b" * 20_000}
        index = {"weight_map": {"x": "a.safetensors", "y": "b.safetensors"}}
        self.serve({"config.json": MODEL_CONTENT["config.json"], "vocab.txt": b"a\n", **shard,
                    "model.safetensors.index.json": json.dumps(index).encode()})
        self.fetches()
        self.serve({path: file.content for path, file in self.hub.files.items()
                    if path != "b.safetensors"})
        self.cache = self.directory / "other"
        self.refuses(MODEL, ['names "b.safetensors", which the repository doesn\'t have'],
                     HF_HUB_CACHE=str(self.cache))

    def test_two_processes_fetch_each_file_once(self):
        def slow(handler, request):
            time.sleep(0.5)
            handler.answer(request)
        self.hub.always(self.weights.sha256, slow)
        processes = [self.start() for _ in range(3)]
        for process in processes:
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, err)
        self.assert_whole()
        self.assertEqual(len(self.hub.asked(self.weights.sha256)), 1)
        self.assertEqual(len(self.hub.asked("config.json")), 1)


class Breaks(FetchTest):
    def test_goes_on_where_the_connection_broke(self):
        self.hub.once(self.weights.sha256, break_after(self.weights, 7_000))
        self.fetches()
        first, second = self.hub.asked(self.weights.sha256)
        self.assertNotIn("range", first.headers)
        self.assertEqual(second.headers["range"], "bytes=7000-")
        self.assertEqual(second.headers["if-range"], '"store-' + self.weights.sha256[:8] + '"')

    def test_goes_on_where_a_killed_process_was(self):
        self.hub.once(self.weights.sha256, stall_after(self.weights, 9_000, 5))
        process = self.start()
        self.wait_for_weights()
        process.kill()
        process.communicate()
        self.assertIn(f"{WEIGHTS}: going on after 9000 of", self.fetches().err)
        self.assertEqual(self.hub.asked(self.weights.sha256)[1].headers["range"], "bytes=9000-")

    def test_an_interrupt_keeps_what_has_come(self):
        self.hub.once(self.weights.sha256, stall_after(self.weights, 9_000, 5))
        process = self.start()
        self.wait_for_weights()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, INTERRUPTED, err)
        self.assertIn("tandem: interrupted while fetching; run it again to go on", err)
        self.assertIn("going on after 9000 of", self.fetches().err)

    def test_the_server_has_other_content_by_now(self):
        other = hub_server.File(b"x" * len(self.weights.content))
        self.hub.once(self.weights.sha256, break_after(other, 7_000, etag='"other"'))
        self.fetches()
        self.assertEqual(self.hub.asked(self.weights.sha256)[1].headers["if-range"], '"other"')

    def test_another_etag_with_the_second_piece(self):
        self.hub.once(self.weights.sha256, break_after(self.weights, 7_000))
        self.hub.once(self.weights.sha256, break_after(self.weights, 5_000, etag='"other"'))
        self.assertIn("changed on the server between two pieces", self.fetches().err)

    def test_a_range_that_was_not_asked_for(self):
        def lie(handler, _):
            size = len(self.weights.content)
            handler.send(206, self.weights.content[100:],
                         content_range=f"bytes 100-{size - 1}/{size}")
        self.hub.once(self.weights.sha256, break_after(self.weights, 7_000))
        self.hub.once(self.weights.sha256, lie)
        self.assertIn('asked for bytes 7000-', self.fetches().err)

    def test_a_server_without_ranges(self):
        self.hub.once(self.weights.sha256, break_after(self.weights, 7_000))
        self.hub.once(self.weights.sha256, lambda handler, _: handler.send(
            200, self.weights.content, etag='"store-' + self.weights.sha256[:8] + '"'))
        self.fetches()

    def test_a_damaged_piece_from_before_is_fetched_again(self):
        blobs = self.repository / "blobs"
        blobs.mkdir(parents=True)
        (blobs / f"{self.weights.sha256}.tandem-1.incomplete").write_bytes(b"x" * 5_000)
        self.assertIn("its SHA-256 is wrong; fetching all of it again", self.fetches().err)
        self.assertEqual([request.headers.get("range")
                          for request in self.hub.asked(self.weights.sha256)],
                         ["bytes=5000-", None])

    def test_it_does_not_go_on_forever(self):
        self.hub.always(self.weights.sha256, break_after(self.weights, 10))
        self.refuses(MACHINE, ["given up after 2 tries; run it again to go on"], "--retries", 1)

    def test_a_file_that_ends_early(self):
        def short(handler, _):
            handler.send(200, self.weights.content[:10], connection="close",
                         transfer_encoding="identity")
            handler.close_connection = True
        self.hub.always(self.weights.sha256, short)
        self.refuses(MACHINE, [f"{WEIGHTS}: ended after 10 of {len(self.weights.content)} bytes"],
                     "--retries", 0)


class WrongContent(FetchTest):
    def test_wrong_hash(self):
        flipped = bytearray(self.weights.content)
        flipped[1000] ^= 1
        self.hub.store[self.weights.sha256] = hub_server.File(bytes(flipped))
        self.refuses(MODEL, [f"{WEIGHTS}: what came has SHA-256", f"lists {self.weights.sha256}",
                             "damaged on the way or replaced"])
        self.assertEqual(list(self.cache.rglob("*.incomplete")), [])

    def test_wrong_hash_of_a_small_file(self):
        self.hub.always("resolve/" + COMMIT + "/vocab.txt", lambda handler, _: handler.send(
            200, self.hub.files["vocab.txt"].content[::-1]))
        self.refuses(MODEL, ["vocab.txt: what came has git SHA-1"])

    def test_another_etag_than_listed(self):
        self.hub.always("/vocab.txt", lambda handler, _: handler.send(
            200, b"x", x_linked_etag='"' + "0" * 40 + '"'))
        self.refuses(MODEL, ["vocab.txt: the hub lists it as", "run it again"])

    def test_wrong_length(self):
        self.hub.store[self.weights.sha256] = hub_server.File(self.weights.content + b"more")
        size = len(self.weights.content)
        self.refuses(MODEL, [f"{WEIGHTS}: {size + 4} bytes long on the server, {size} by the hub's "
                             "list"])

    def test_endless_content(self):
        def endless(handler, _):
            handler.send(200, connection="close", transfer_encoding="identity")
            while True:
                handler.wfile.write(b"x" * 65_536)
        self.hub.always(self.weights.sha256, endless)
        self.refuses(MODEL, [f"more than the {len(self.weights.content)} bytes came"])

    def test_paths_that_lead_out(self):
        for path in ("../../evil.json", "/etc/passwd"):
            self.hub.extra_entries = [{"rfilename": path, "size": 1, "blobId": "0" * 40}]
            self.refuses(MODEL, [f'"{path}" leads out of the repository: nothing of it is fetched'])
        self.hub.extra_entries = [{"rfilename": "config.json", "size": 1, "blobId": "../../x"}]
        self.refuses(MODEL, ["blobId: expected 40 hexadecimal digits"])

    def test_a_page_in_place_of_the_list(self):
        self.hub.always("/api/", lambda handler, _: handler.send(200, b"<html>Please log in"))
        self.refuses(MODEL, ["/api/models/org/tiny-bert/revision/main", "not valid JSON"])

    def test_an_endless_list(self):
        def endless(handler, _):
            handler.send(200, connection="close", transfer_encoding="identity")
            while True:
                handler.wfile.write(b" " * 65_536)
        self.hub.always("/api/", endless)
        self.refuses(MODEL, ["the hub's list of files has more than 16777216 bytes"])

    def test_pickles(self):
        self.serve({"config.json": MODEL_CONTENT["config.json"], "vocab.txt": b"a\n",
                    "pytorch_model.bin": b"\x80\x04"})
        self.refuses(MODEL, ["only pytorch_model.bin, a pickle, which can run code", "refused",
                             "python3 -c "])
        self.assertEqual(self.hub.asked("pytorch_model.bin"), [])

    def test_a_model_that_is_not_supported_is_told_before_its_weights_come(self):
        self.serve(MODEL_CONTENT | {"config.json": b'{"model_type": "gpt2"}'})
        self.refuses(MODEL, ['model_type: "gpt2" is not supported'])
        self.assertEqual(self.hub.asked(WEIGHTS), [])

    def test_no_model(self):
        self.serve({"README.md": b"data"})
        self.refuses(MODEL, [f"{NAME}: has no config.json"])


class Refusals(FetchTest):
    def test_no_such_model(self):
        self.refuses(USAGE, ["org/nothing: not on http://127.0.0.1", "or private",
                             "Repository not found", "HF_TOKEN=... or --token"],
                     name="org/nothing")
        self.refuses(USAGE, ["the token that is given may not read it"], name="org/nothing",
                     HF_TOKEN="hf_x")

    def test_no_such_revision(self):
        self.refuses(USAGE, [f'{NAME}: there is no revision "v9"'], "--revision", "v9")

    def test_gated(self):
        self.hub.always("resolve", status(403, x_error_code="GatedRepo",
                                          x_error_message="Access to model is restricted"))
        self.refuses(USAGE, [f"{NAME}: access is granted on request only (Access to model is "
                             f"restricted): ask for it on {self.hub.address}/{NAME}",
                             "no token is given"])

    def test_a_file_that_is_listed_and_not_there(self):
        self.hub.always("/vocab.txt", status(404, x_error_code="EntryNotFound"))
        self.refuses(USAGE, ["/vocab.txt isn't there"])

    def test_other_statuses(self):
        self.hub.always("/api/", status(418))
        self.refuses(MACHINE, ["answers with status 418"])

    def test_bad_names_and_settings(self):
        for texts, name, more, variables in [
                (['"../x": not a name on the hub', "ORGANISATION/NAME"], "../x", [], {}),
                (['--revision "../x": not a branch'], NAME, ["--revision", "../x"], {}),
                (["HF_ENDPOINT=ftp://x: expected"], NAME, [], {"HF_ENDPOINT": "ftp://x"}),
                (["HF_HUB_ETAG_TIMEOUT=soon: expected"], NAME, [], {"HF_HUB_ETAG_TIMEOUT": "soon"}),
                (["--token: a token has letters"], NAME, ["--token", "a b"], {}),
                (["one of NAME and --task-name is needed"], None, [], {}),
                (['there is no task "mrcp"', 'did you mean "mrpc"?'], "glue/mrcp", [], {})]:
            with self.subTest(texts):
                self.fails(USAGE, texts, "fetch", *([name] if name else []), *more,
                           env=self.environment(**variables))
        self.assertEqual(self.hub.asked(""), [])


class Patience(FetchTest):
    def test_waits_as_long_as_it_is_asked_to(self):
        self.hub.once("/api/", status(429, retry_after=1))
        self.hub.once(self.weights.sha256, status(503, retry_after=0))
        start = time.monotonic()
        err = self.fetches().err
        self.assertGreaterEqual(time.monotonic() - start, 1)
        self.assertIn("status 429; trying again in 1.0 s", err)
        self.assertIn("status 503; trying again in 0.0 s", err)

    def test_does_not_wait_for_hours(self):
        self.hub.once("/api/", status(429, retry_after=7200))
        self.refuses(MACHINE, ["status 429, and asks for 7200 seconds of patience"])

    def test_gives_up(self):
        self.hub.always("/api/", status(503))
        self.refuses(MACHINE, ["status 503; given up after 1 tries"], "--retries", 0)

    def test_a_server_that_says_nothing(self):
        self.hub.always("/api/", lambda *_: time.sleep(5))
        self.too_slow()

    def test_a_server_that_sends_its_headers_letter_by_letter(self):
        def trickle(handler, _):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            for _ in range(50):
                handler.wfile.write(b"x")
                handler.wfile.flush()
                time.sleep(0.1)
        self.hub.always("/api/", trickle)
        self.too_slow()

    def test_a_server_that_sends_its_content_letter_by_letter(self):
        def trickle(handler, _):
            handler.send(200, content_length=len(self.weights.content))
            for _ in range(50):
                handler.wfile.write(b"x")
                handler.wfile.flush()
                time.sleep(0.1)
        self.hub.always(self.weights.sha256, trickle)
        self.too_slow()

    def too_slow(self) -> None:
        start = time.monotonic()
        self.refuses(MACHINE, ["too slow", "HF_HUB_DOWNLOAD_TIMEOUT"], "--retries", 0,
                     HF_HUB_DOWNLOAD_TIMEOUT="1")
        self.assertLess(time.monotonic() - start, 5)

    def test_no_server(self):
        self.refuses(MACHINE, ["given up after 1 tries"], "--retries", 0,
                     HF_ENDPOINT="http://127.0.0.1:9")


class Redirects(FetchTest):
    def test_the_token_goes_to_the_hub_alone(self):
        self.fetches(HF_TOKEN="hf_secret")
        self.assertEqual({request.token for request in self.hub.requests
                          if request.server == "hub"}, {"Bearer hf_secret"})
        self.assertEqual({request.token for request in self.hub.requests
                          if request.server == "store"}, {None})

    def test_the_token_does_not_follow_to_a_host_of_another_name(self):
        other = self.hub.address.replace("127.0.0.1", "localhost")
        self.hub.once("/api/", lambda handler, request: handler.send(
            307, location=other + request.path))
        self.fetches("--token", "hf_secret")
        first, second = self.hub.asked("/api/")
        self.assertEqual((first.token, second.token), ("Bearer hf_secret", None))

    def test_a_model_that_was_renamed_is_found(self):
        self.hub.once("/api/models/old-name", lambda handler, request: handler.send(
            307, location=request.path.replace("old-name", NAME)))
        self.hub.always("/old-name/resolve", lambda handler, request: handler.send(
            307, location=request.path.replace("old-name", NAME)))
        result = self.fetch(name="old-name", HF_TOKEN="hf_secret")
        self.assertEqual(result.code, 0, result.err)
        self.assertTrue((self.cache / "models--old-name" / "refs" / "main").exists())
        self.assertEqual({request.token for request in self.hub.requests
                          if request.server == "hub"}, {"Bearer hf_secret"})

    def test_a_loop(self):
        self.hub.always("/api/", lambda handler, request: handler.send(302, location=request.path))
        self.refuses(MACHINE, ["sends on more than 10 times"])
        self.assertEqual(len(self.hub.asked("/api/")), 11)

    def test_no_other_scheme(self):
        for location in ("file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1", ""):
            with self.subTest(location):
                self.hub.faults.clear()
                self.hub.always("/vocab.txt", status(302, location=location))
                self.refuses(MACHINE, [f'sends on to "{location}", which is no http or https'])

    def test_signatures_are_not_shown(self):
        self.hub.always(self.weights.sha256, status(500))
        result = self.fetch("--retries", 0)
        self.assertIn(f"{self.hub.store_address}/{self.weights.sha256}: status 500", result.err)
        self.assertNotIn("signature", result.err)


class Room(FetchTest):
    def test_no_room(self):
        self.hub.extra_entries = [{"rfilename": path, "size": 1, "blobId": str(number) * 40}
                                  for number, path in enumerate(["config.json", "vocab.txt"])]
        self.hub.extra_entries.append({"rfilename": WEIGHTS, "lfs": {
            "sha256": "0" * 64, "size": 49_000_000_000_000, "pointerSize": 1}})
        self.refuses(MODEL, [f"{WEIGHTS}: 49000000000000 bytes long, at most 50000000000 are"])
        shards = [f"{number}.safetensors" for number in range(2_000)]
        self.serve({"config.json": MODEL_CONTENT["config.json"], "vocab.txt": b"a\n",
                    "model.safetensors.index.json": json.dumps(
                        {"weight_map": {shard: shard for shard in shards}}).encode()})
        self.hub.extra_entries = [
            {"rfilename": shard, "lfs": {"sha256": f"{number:064x}", "size": 50_000_000_000,
                                         "pointerSize": 1}} for number, shard in enumerate(shards)]
        self.refuses(WALL, ["100000000000000 bytes are to be fetched", "are free", "HF_HUB_CACHE"])
        self.assertEqual(self.hub.asked(".safetensors?"), [])

    def test_a_file_in_place_of_the_cache(self):
        self.write("home", "a file")
        self.refuses(WALL, ["hub", "cannot be written", "HF_HUB_CACHE names another cache"])

    def test_a_limit_on_file_sizes(self):
        command = f"ulimit -f 8; exec {BINARY} fetch {NAME}"  # 8 KiB, or 4 where blocks are small
        done = subprocess.run(["sh", "-c", command], env=self.environment(), capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, WALL, done.stderr)
        self.assertIn("cannot be written: file too large", done.stderr)


class Offline(FetchTest):
    def test_not_in_the_cache(self):
        for variable in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
            self.refuses(USAGE, [f"{NAME}: not in the cache, and HF_HUB_OFFLINE or "
                                 "TRANSFORMERS_OFFLINE forbids to ask the hub"], **{variable: "1"})
        self.assertEqual(self.hub.asked(""), [])

    def test_in_the_cache(self):
        self.fetches()
        self.hub.requests.clear()
        self.assertEqual(self.fetches(HF_HUB_OFFLINE="1").out, f"{self.snapshot}\n")
        self.assertEqual(self.hub.asked(""), [])
        (self.snapshot / WEIGHTS).unlink()
        result = self.fetch(HF_HUB_OFFLINE="1")
        self.assertEqual(result.code, USAGE)
        self.assertIn(f"{NAME}: the cache lacks its {WEIGHTS}, and HF_HUB_OFFLINE", result.err)

    def test_without_an_answer_the_cache_is_used(self):
        self.fetches()
        self.hub.always("/api/", status(503))
        result = self.fetches("--retries", 0)
        self.assertEqual(result.out, f"{self.snapshot}\n")
        self.assertIn("warning: ", result.err)
        self.assertIn(f"what the cache has is used, commit {COMMIT}", result.err)


class GlueData(FetchTest):
    """A task's data, in Parquet."""

    def setUp(self) -> None:
        super().setUp()
        samples = pathlib.Path(__file__).parent / "glue_mrpc"
        self.serve({f"mrpc/{split}-00000-of-00001.parquet":
                    (samples / f"{split}.parquet").read_bytes()
                    for split in ("train", "validation", "test")}, "datasets", "nyu-mll/glue")

    @property
    def repository(self) -> pathlib.Path:
        return self.cache / "datasets--nyu-mll--glue"

    def test_training_finds_what_was_fetched(self):
        arguments = ["train", "--model", self.model, "--task-name", "mrpc", "--do-train", "--do-eval",
                     "--do-predict", "--max-steps", 1, "--output-dir", self.output,
                     "--ignore-mismatched-sizes"]
        self.fails(USAGE, ["--task-name mrpc needs --data-dir", "`tandem fetch glue/mrpc`"],
                   *arguments, env=self.environment())
        result = self.fetch(name="glue/mrpc")
        self.assertEqual((result.code, result.out), (0, f"{self.snapshot}\n"), result.err)
        self.assert_whole()
        log = self.succeeds(*arguments, env=self.environment()).err
        self.assertIn("train-00000-of-00001.parquet: 6 examples", log)
        predictions = (self.output / "predict_results_mrpc.txt").read_text().splitlines()
        self.assertEqual(len(predictions), 1 + 3)
        self.hub.requests.clear()
        self.assertEqual(run("fetch", "--task-name", "mrpc", env=self.environment(
            HF_HUB_OFFLINE="1")).out, f"{self.snapshot}\n")
        self.assertEqual(self.hub.asked(""), [])

    def test_a_split_that_is_not_there(self):
        self.serve({"mrpc/train-00000-of-00001.parquet": b"x"}, "datasets", "nyu-mll/glue")
        self.refuses(DATA, ['nyu-mll/glue: has no "mrpc/validation-00000-of-00001.parquet"'],
                     name="glue/mrpc")


class Encrypted(FetchTest):
    def setUp(self) -> None:
        super().setUp()
        key, self.certificate = self.directory / "key.pem", self.directory / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out",
                        self.certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost"], check=True, capture_output=True)
        self.hub.close()
        self.hub = Hub(NAME, MODEL_CONTENT)
        self.addCleanup(self.hub.close)
        self.hub.encrypt(self.certificate, key)

    def test_a_certificate_of_ones_own(self):
        self.hub.always("resolve", lambda handler, request: handler.send_content(
            self.hub.files[request.path.rsplit("/", 1)[1]]))
        self.refuses(MACHINE, ["its certificate isn't trusted here", "SSL_CERT_FILE=FILE"])
        self.fetches(SSL_CERT_FILE=str(self.certificate))

    def test_the_way_back_to_plain_http_is_not_taken(self):
        self.refuses(MACHINE, ["sends on from https to http://127.0.0.1", "isn't encrypted"],
                     SSL_CERT_FILE=str(self.certificate))


class ModelsByName(FetchTest):
    """What the other commands make of a name."""

    def test_the_error_has_the_line_that_helps(self):
        for command in (["train", "--train-file", self.rows_file(), "--output-dir", self.output],
                        ["predict", "--data", self.rows_file()],
                        ["evaluate", "--data", self.rows_file()], ["tokenize"],
                        ["quantize", "--output", self.output], ["bench", "gemm"]):
            with self.subTest(command[0]):
                self.fails(MODEL, [f"{NAME}: there is no such directory, and no such model in the "
                                   f"cache {self.cache}; `tandem fetch {NAME}` brings it from the hub"],
                           *command, "--model", NAME, env=self.environment())
        self.fails(MODEL, [f"`tandem fetch {NAME} --revision v2` brings it"], "tokenize", "--model",
                   NAME, "--model-revision", "v2", env=self.environment())
        self.assertEqual(self.hub.asked(""), [], "only fetch asks the hub")

    def test_a_path_that_is_no_name(self):
        self.fails(MODEL, ["/no/such/place: there is no such directory; expected one with "
                           "config.json, model.safetensors and tokenizer.json or vocab.txt"],
                   "tokenize", "--model", "/no/such/place", env=self.environment())

    def test_commands_find_the_model_in_the_cache(self):
        self.fetches()
        env = self.environment()
        rows = self.rows_file(rows=[("the film was good", "LABEL_1"), ("bad tea", "LABEL_0")])
        out = self.succeeds("tokenize", "--model", NAME, stdin="good film\n", env=env).out
        self.assertEqual(out, run("tokenize", "--model", self.model, stdin="good film\n").out)
        self.assertEqual(self.succeeds("predict", "--model", NAME, "--data", rows, env=env).out,
                         run("predict", "--model", self.model, "--data", rows).out)
        self.succeeds("train", "--model_name_or_path", NAME, "--train_file", self.rows_file(),
                      "--max-steps", 1, "--output_dir", self.output, env=env)
        arguments = json.loads((self.output / "training_args.json").read_text())
        self.assertEqual(arguments["model_name_or_path"], NAME)
        self.succeeds("quantize", "--model", NAME, "--output", self.directory / "int8", env=env)
        self.succeeds("tokenize", "--model", NAME, "--cache-dir", self.cache, "--model-revision",
                      COMMIT)

    def test_a_directory_of_that_name_comes_first(self):
        self.fetches()
        local = self.directory / "here" / NAME
        local.mkdir(parents=True)
        self.fails(MODEL, [f"{NAME}: has neither a tokenizer.json nor a vocab.txt"], "tokenize",
                   "--model", NAME, env=self.environment(), cwd=self.directory / "here")


if __name__ == "__main__":
    unittest.main()
