#!/usr/bin/env python3
"""Make tests/text/tokenizer_cases.json: what the `tokenizers` package gives for difficult texts.

    make_tokenizer_fixtures.py tests/text/tokenizer_cases.json

The file holds a small tokenizer.json, variants of it, and for each variant a list of cases:
[text, [[id, token, begin, end], ...]] with byte offsets, and for pairs
[first, second, max_tokens, ids, segments]. `truncation` has rows of
[first, second, room, first kept, second kept] in tokens.
"""
import argparse
import itertools
import json
import os

import tokenizers
from tokenizers import Tokenizer

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LETTERS = list("abcdefghijklmnopqrstuvwxyz")
VOCABULARY = (
    SPECIAL + LETTERS + ["##" + letter for letter in LETTERS]
    + list("ABCDEI0123456789.,!?-'\"[]()#/_")
    + ["play", "##ing", "un", "##aff", "##able", "hello", "Hello", "istanbul", "x" * 100, "##" + "x" * 9]
    + ["\u00e9", "##\u00e9", "\u00c9", "##\u0301", "##\u0307", "\u00df", "##\u00df"]  # é É ß
    + ["\u10d0", "##\u10d1", "\u1c90"]  # Georgian, lower and upper
    + ["\u0645", "##\u0631", "\u0915", "##\u093f", "##\u094d"]  # Arabic, Devanagari
    + ["\ud55c", "\u1112", "##\u1161", "##\u11ab"]  # a Hangul syllable and its parts
    + ["\u6f22", "\u5b57", "\u8c48", "\U00020000", "\u3042", "##\u3044"]  # Chinese, Japanese
    + ["\u03c3", "##\u03c3", "##\u03c2", "\u03bf", "##\u03bf", "\u03a3"]  # Greek sigma
    + ["\U0001f468", "##\U0001f4bb", "\u3002", "\u20ac", "##\U0001d165"])

ADDED = [
    {"content": "covid", "single_word": True, "lstrip": False, "rstrip": False,
     "normalized": True, "special": False},
    {"content": "\u00c9A b", "single_word": False, "lstrip": True, "rstrip": False,
     "normalized": True, "special": False},
    {"content": "<x>", "single_word": False, "lstrip": True, "rstrip": True,
     "normalized": False, "special": True},
    {"content": "<x>y", "single_word": True, "lstrip": False, "rstrip": True,
     "normalized": False, "special": False},
    {"content": "play", "single_word": False, "lstrip": False, "rstrip": False,
     "normalized": False, "special": False},
]

TEXTS = [
    "", " ", " \t\r\n\u3000\u00a0\u2028", "hello", "Hello, playing unaffable HELLO!",
    "  hello\tplaying\r\nun ", "it's 100% [hello] (a_b-c)/d #1 \"x\"",
    # control and odd characters
    "a\x00b\x07c\x7fd\x85e\u00adf\u200bg\ufeffh\ufffdi\ue000j\U000e0001k\u0378l",
    "a\x0bb\x0cc\u2028d\u2029e\u202ff", "\x00", "\ufffd \x01 \u200d",
    # accents, composed and not, in and out of canonical order
    "\u00e9 e\u0301 \u00c9 E\u0301 \u00df \u1e9e", "e\u0301\u0323 e\u0323\u0301 \u1ead a\u0323\u0302",
    "\u0301a \u0344 \u0f73b", "\u00e9\u0334e\x01\u0301\u0323", "\U0001d15e\x0b \U0001d165e\U0001d16d",
    "\u302eab\u302f \u16fe0 \u0958 \ufb2c", "\u212b \u1f82 \u1e9b\u0323",
    # lower case that changes the length, and sigma
    "\u0130stanbul \u0130 I\u0307 \u0131", "\u039f\u03a3 \u03a3\u039f\u03a3 \u03bf\u03c2",
    "\ua7cb \u1c89 \u2160 \u24b6 \U00010400",
    # scripts
    "\u10d0\u10d1 \u1c90\u1c91", "\u0645\u064e\u0631 \u0640\u0645", "\u0915\u093f\u0915\u094d",
    "\ud55c\ud55c \u1112\u1161\u11ab \uac00", "\u6f22\u5b57a\u6f22 \uf900\u8c48\U0002f800",
    "a\U00020000b\U0002b920\U0002b820\u3042\u3044", "\u3002a\u3002 \u166da \U000111c9a \u2e4f",
    # emoji with joiners, skin tones and flags
    "\U0001f468\u200d\U0001f4bb \U0001f468\U0001f3fd\u200d\u2764\ufe0f \U0001f1e9\U0001f1ea",
    "\u20ac10 \u00b2 \u00bd \u0661",
    # words at the limit
    "x" * 100, "x" * 101, "\u00e9" * 100, "\u00e9" * 101, "e\u0301" * 51, "hello" + "x" * 95,
    "x" * 99 + " " + "y" * 300,
    # special tokens in the text
    "[SEP]", "a[SEP]b [MASK] [mask] [CLS][PAD]", "[UNK]hello[UNK]", "[ SEP ] [SEP", "[[SEP]]",
    "[S\x00EP] [SE\u0301P] \u0301[SEP]\u0301",
    # added tokens
    "covid COVID xcovid covid-covid\u0301 \u00e9covid covid_", "\u00e9a b  \u00c9A B e\u0301a b x",
    "a  <x>  b<x>y c <x>yz  <x> <x>  ", "<x>", " <x> ", "playing play xplay",
]

PAIRS = [("hello", "playing"), ("", ""), ("hello", ""), ("", "hello"), ("a b c d e", "a b c d e"),
         ("a b c d e f g", "a"), ("a", "a b c d e f g"), ("unaffable playing", "hello hello hello"),
         ("a [SEP] b", "\u6f22\u5b57\u6f22\u5b57"), ("a b c d e f", "a b c d e")]
LIMITS = [3, 4, 5, 6, 7, 8, 9, 10, 128]


def template(*pieces):
    return [{"Sequence" if len(name) == 1 else "SpecialToken": {"id": name, "type_id": segment}}
            for name, segment in pieces]


def base_tokenizer() -> dict:
    ids = {token: i for i, token in enumerate(VOCABULARY)}
    assert len(ids) == len(VOCABULARY)
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
             "special": True}
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": ids[token], "content": token} | flags for token in SPECIAL],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": template(("[CLS]", 0), ("A", 0), ("[SEP]", 0)),
            "pair": template(("[CLS]", 0), ("A", 0), ("[SEP]", 0), ("B", 1), ("[SEP]", 1)),
            "special_tokens": {token: {"id": token, "ids": [ids[token]], "tokens": [token]}
                               for token in ("[CLS]", "[SEP]")}},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": ids}}


def variants(base: dict) -> dict[str, dict]:
    """The sections in which each variant differs from the base."""
    normalizer = base["normalizer"]
    added = [token | {"id": base["model"]["vocab"].get(token["content"], len(VOCABULARY) + i)}
             for i, token in enumerate(ADDED)]
    return {
        "uncased": {},
        "uncased, accents kept": {"normalizer": normalizer | {"strip_accents": False}},
        "cased": {"normalizer": normalizer | {"lowercase": False}},
        "cased, accents stripped":
            {"normalizer": normalizer | {"lowercase": False, "strip_accents": True}},
        "uncased, nothing cleaned":
            {"normalizer": normalizer | {"clean_text": False, "handle_chinese_chars": False}},
        "uncased, added tokens": {"added_tokens": base["added_tokens"] + added},
        "cased, BertProcessing": {
            "normalizer": normalizer | {"lowercase": False},
            "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}},
    }


def spans(tokenizer: Tokenizer, text: str) -> list:
    """[id, token, begin, end] with offsets in bytes; the package's are in code points."""
    encoding = tokenizer.encode(text)
    at = [len(text[:i].encode()) for i in range(len(text) + 1)]
    return [[i, token, at[begin], at[end]]
            for i, token, (begin, end) in zip(encoding.ids, encoding.tokens, encoding.offsets)]


def pair_cases(tokenizer: Tokenizer) -> list:
    cases = []
    for (first, second), limit in itertools.product(PAIRS, LIMITS):
        tokenizer.enable_truncation(limit)
        encoding = tokenizer.encode(first, second)
        cases.append([first, second, limit, encoding.ids, encoding.type_ids])
    return cases


def truncation_rows(tokenizer: Tokenizer) -> list:
    rows = []
    for first, second, room in itertools.product(range(8), range(8), range(12)):
        tokenizer.enable_truncation(room + 3)
        encoding = tokenizer.encode("a " * first, "a " * second)
        kept = [encoding.sequence_ids.count(0), encoding.sequence_ids.count(1)]
        rows.append([first, second, room] + kept)
    return rows


def lines(rows: list) -> str:
    return "[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", help="tests/text/tokenizer_cases.json")
    output = parser.parse_args().output

    base = base_tokenizer()
    parts = []
    for name, changes in variants(base).items():
        tokenizer = Tokenizer.from_str(json.dumps(base | changes))
        cases = lines([[text, spans(tokenizer, text)] for text in TEXTS])
        parts.append(f'{{"name": {json.dumps(name)}, "changes": {json.dumps(changes)},\n'
                     f'"cases": {cases}}}')
    tokenizer = Tokenizer.from_str(json.dumps(base))
    made_by = f"tools/make_tokenizer_fixtures.py with tokenizers {tokenizers.__version__}"
    text = (f'{{"made_by": "{made_by}",\n"base": {json.dumps(base)},\n'
            f'"variants": [\n' + ",\n".join(parts) + f'\n],\n"pairs": {lines(pair_cases(tokenizer))},\n'
            f'"truncation": {lines(truncation_rows(tokenizer))}}}\n')
    partial = output + ".partial"
    with open(partial, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    os.replace(partial, output)
    print(f"{output}: {len(VOCABULARY)} tokens, {len(parts)} variants of {len(TEXTS)} texts")


if __name__ == "__main__":
    main()
