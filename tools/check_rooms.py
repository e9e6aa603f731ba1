#!/usr/bin/env python3
"""Checks that every line of src/ lives in a room where it may live.

  check_rooms.py [REPOSITORY]
A room is a folder of src/. It may include only rooms below it, and some words belong to one file
alone (docs/architecture.md has the tables). Prints each line that is in the wrong place and exits
with 1 if there is any.
"""
import pathlib
import re
import sys

# Which rooms a room may include, besides itself.
MAY_INCLUDE = {
    "base": set(),
    "comm": {"base"},
    "kernels": {"base"},
    "tensor": {"base"},
    "text": {"formats", "base"},
    "nn": {"tensor", "kernels", "base"},
    "data": {"text", "formats", "base"},
    "formats": {"tensor", "base"},
    "cluster": {"formats", "base"},
    "hub": {"formats", "base"},
    "model": {"nn", "data", "formats", "tensor", "base"},
    "optim": {"nn", "kernels", "tensor", "base"},
    "train": {"comm", "model", "optim", "data", "formats", "nn", "kernels", "tensor", "base"},
    "report": {"train", "data", "formats", "nn", "tensor", "base"},
    "cli": {"report", "train", "cluster", "hub", "comm", "model", "optim", "data", "text", "formats", "nn", "kernels",
            "tensor",
            "base"},
}

# (what the line says, as a regular expression, and the paths under src/ where it may stand)
WORDS = [
    (r"\b_mm(256|512)?_|\b__m(128|256|512)", ()),
    (r"\bdnnl_|<dnnl", ("nn/onednn.cc", "nn/onednn_bf16.cc", "nn/onednn_int8.cc")),
    (r"\bhwy/|\bhn::", ("kernels/",)),
    (r"\bstd::j?thread\b", ("base/thread.",)),
    (r"(?<!\")\bMPI_[A-Z]|<mpi\.h>", ("comm/mpi_plugin.cc",)),
    (r"\bccl::|<oneapi/ccl", ("comm/oneccl_plugin.cc",)),
    (r"\bdlopen\b|\bdlsym\b|<dlfcn\.h>", ("comm/load.cc",)),
    (r"\brank\b", ("comm/", "train/", "report/", "cli/", "cluster/")),
    (r'"(bert\.|encoder\.layer|embeddings\.word_emb)', ("model/hf_names.cc",)),
    (r'"(#1 String|Quality|gold_label|is_duplicate)"', ("data/",)),
    (r"\bgetenv\b|(?<!\.)\bargv\b|\bstd::cout\b|\bstd::cin\b", ("cli/", "comm/mpi_plugin.cc")),
    (r"\bposix_spawn|\bfork\(|\bexecv|\bsystem\(|\bpopen\(",
     ("cluster/process.cc", "cluster/foreground.cc")),
    (r"(^|[^:_\w])exit\(|\babort\(\)", ("cli/", "base/error.cc", "base/interrupt.cc")),
    (r"\bmalloc\(|\bmmap\(|\bmunmap\(", ("base/", "tensor/arena.cc")),
    (r"curl/curl\.h", ("hub/http_client.cc", "hub/url.cc")),
    (r"<openssl/", ("hub/digest.cc",)),
    # The address of the public hub: a setting's default, and nothing else is ever asked.
    (r"\bhuggingface\.co\b|\bhf\.co\b", ("hub/settings.h",)),
    (r"\bnew [A-Z]\w*[({\[]", ()),
]

MAX_FILE_LINES = 400
GENERATED = {"text/unicode_tables.cc"}


def code_of(line: str) -> str:
    """The line without its comment; strings are left in, and with them addresses (http://...)."""
    return re.sub(r"(?<!:)//.*$", "", line)


def faults_of_file(path: pathlib.Path, name: str) -> list[str]:
    room = name.split("/")[0]
    if room not in MAY_INCLUDE:
        return [f"src/{name}: there is no room {room}: add it to docs/architecture.md and here"]
    faults = []
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) > MAX_FILE_LINES and name not in GENERATED:
        faults.append(f"src/{name}: {len(lines)} lines, at most {MAX_FILE_LINES} are allowed")
    for number, line in enumerate(lines, 1):
        where = f"src/{name}:{number}"
        include = re.match(r'\s*#include "([a-z]+)/', line)
        if include and include[1] in MAY_INCLUDE:
            if include[1] != room and include[1] not in MAY_INCLUDE[room]:
                faults.append(f"{where}: room {room} may not include room {include[1]}")
        for pattern, places in WORDS:
            if re.search(pattern, code_of(line)) and not name.startswith(places or ("\0",)):
                allowed = ", ".join(places) or "nowhere"
                faults.append(f"{where}: {line.strip()!r} may stand in: {allowed}")
    return faults


def main() -> int:
    top = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    sources = sorted(p for p in (top / "src").rglob("*") if p.suffix in (".h", ".cc"))
    faults = [f for p in sources for f in faults_of_file(p, p.relative_to(top / "src").as_posix())]
    print("\n".join(faults) if faults else f"{len(sources)} files, every line in its room")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
