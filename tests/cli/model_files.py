"""Model directories for the tests: a tiny BERT with three labels, and damaged copies of it."""
import json
import pathlib
import shutil
import struct

GOLDEN = pathlib.Path(__file__).parent.parent / "golden"
TINY_BERT, TINY_DISTILBERT = GOLDEN / "tiny_bert", GOLDEN / "tiny_distilbert"
WORDS = ("good bad fine poor great awful dull film book food tea the a is was this that and not "
         "very quite . , !").split()
LETTERS = [chr(letter) for letter in range(ord("b"), ord("z") + 1)]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *LETTERS, "##s", "##er"]


def make_model(directory: pathlib.Path) -> pathlib.Path:
    """Copies the tiny BERT (60 tokens, hidden size 32, 3 labels) and gives it a vocabulary."""
    shutil.copytree(TINY_BERT, directory)
    write_vocabulary(directory, VOCABULARY)
    return directory


def make_distilbert(directory: pathlib.Path) -> pathlib.Path:
    """The same of a tiny DistilBERT."""
    shutil.copytree(TINY_DISTILBERT, directory)
    write_vocabulary(directory, VOCABULARY)
    # As the hub's distilbert-base-uncased has it: nothing says which class.
    (directory / "tokenizer_config.json").write_text('{"do_lower_case": true}')
    return directory


def make_headless_model(directory: pathlib.Path, make=make_model) -> pathlib.Path:
    """A model as it was before fine-tuning: an encoder without labels or a classification head."""
    make(directory)
    architecture = {make_model: "BertModel", make_distilbert: "DistilBertModel"}[make]
    change_config(directory, architectures=[architecture], id2label=None, label2id=None)
    tensors, payload = read_safetensors(directory / "model.safetensors")
    head = ("classifier.", "pre_classifier.")
    kept = {name: info for name, info in tensors.items() if not name.startswith(head)}
    write_safetensors(directory / "model.safetensors", kept, payload)
    return directory


def write_vocabulary(directory: pathlib.Path, tokens: list[str]) -> None:
    (directory / "vocab.txt").write_text("".join(token + "\n" for token in tokens))


def change_config(directory: pathlib.Path, **changes) -> None:
    """Sets keys of config.json; None removes one."""
    path = directory / "config.json"
    config = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in config.items() if value is not None}))


def read_safetensors(path: pathlib.Path) -> tuple[dict, bytes]:
    """What the header says of each tensor, and the bytes behind the header."""
    data = path.read_bytes()
    (header_bytes,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + header_bytes])
    header.pop("__metadata__", None)
    return header, data[8 + header_bytes:]


def write_safetensors(path: pathlib.Path, tensors: dict, payload: bytes) -> None:
    """Writes these tensors, which lie in `payload`, end to end."""
    header, pieces, offset = {}, [], 0
    for name, info in tensors.items():
        begin, end = info["data_offsets"]
        pieces.append(payload[begin:end])
        header[name] = info | {"data_offsets": [offset, offset + end - begin]}
        offset += end - begin
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(pieces))


def payload_start(path: pathlib.Path) -> int:
    return 8 + struct.unpack("<Q", path.read_bytes()[:8])[0]


def flip_bits(path: pathlib.Path, offset: int, mask: int) -> None:
    data = bytearray(path.read_bytes())
    data[offset] ^= mask
    path.write_bytes(bytes(data))
