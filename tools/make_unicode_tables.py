#!/usr/bin/env python3
"""Make src/text/unicode_tables.cc: what the `tokenizers` package does with every code point.

    make_unicode_tables.py src/text/unicode_tables.cc

The package's tables come from several Unicode versions (its categories from about 8, its lower case
from the Rust standard library), so they equal those of no single version. Each is found by asking
the package about all 1,112,064 scalar values; nothing is taken from another table.
"""
import argparse
import bisect
import os
import unicodedata

import tokenizers
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

# The bits of CharacterProperties in src/text/unicode_tables.h.
REMOVED, WHITESPACE, CHINESE, PUNCTUATION, MARK, WORD, DECOMPOSES, LOWERS, REORDERS = (
    1 << bit for bit in range(9))
SCALAR_VALUES = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
HANGUL = range(0xAC00, 0xD7A4)
PAGE = 256  # code points; the first PAGES have an index, beyond are mostly rare scripts
PAGES = 512


def bert_normalizer(**enabled):
    options = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False,
                   lowercase=False)
    return normalizers.BertNormalizer(**(options | enabled))


def cleaned_properties() -> dict[int, int]:
    """What clean_text drops, and what it turns into a space."""
    clean = bert_normalizer(clean_text=True)
    kinds = {"ab": REMOVED, "a b": WHITESPACE}
    return {c: kinds.get(clean.normalize_str(f"a{chr(c)}b"), 0) for c in SCALAR_VALUES}


def is_chinese(c: int, spaced=bert_normalizer(handle_chinese_chars=True)) -> bool:
    return spaced.normalize_str(chr(c)) == f" {chr(c)} "


def split_property(c: int, splitter=pre_tokenizers.BertPreTokenizer()) -> int:
    words = [word for word, _ in splitter.pre_tokenize_str(f"a{chr(c)}b")]
    if words == ["a", "b"]:
        return WHITESPACE
    if words == ["a", chr(c), "b"]:
        return PUNCTUATION
    assert words == [f"a{chr(c)}b"], hex(c)
    return 0


def word_characters() -> set[int]:
    r"""What the regular expression \w matches: it decides where a single_word token may stand."""
    tokenizer = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    tokenizer.add_tokens([AddedToken("zq", single_word=True, normalized=False)])
    encodings = tokenizer.encode_batch([chr(c) + "zq" for c in SCALAR_VALUES])
    return {c for c, encoding in zip(SCALAR_VALUES, encodings) if encoding.tokens[-1] != "zq"}


def stripped_spaces() -> set[int]:
    r"""What the regular expression \s matches: an rstrip token takes it with it."""
    tokenizer = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    tokenizer.add_tokens([AddedToken("zq", rstrip=True, normalized=False)])
    encodings = tokenizer.encode_batch(["zq" + chr(c) for c in SCALAR_VALUES])
    return {c for c, encoding in zip(SCALAR_VALUES, encodings) if len(encoding.tokens) == 1}


def decompositions(nfd=normalizers.NFD()) -> dict[int, str]:
    found = {c: nfd.normalize_str(chr(c)) for c in SCALAR_VALUES}
    for c in HANGUL:  # computed, not looked up
        index = c - HANGUL.start
        parts = [0x1100 + index // 588, 0x1161 + index % 588 // 28, 0x11A7 + index % 28]
        assert found.pop(c) == "".join(map(chr, parts[:2 if index % 28 == 0 else 3])), hex(c)
    return {c: text for c, text in found.items() if text != chr(c)}


def combining_classes(decomposed: dict[int, str], nfd=normalizers.NFD()) -> dict[int, int]:
    """Classes other than 0, seen by which marks change places. Python's own table only names them:
    each is checked against a mark that both tables put into that class."""
    def swaps(first: int, second: int) -> bool:
        text = chr(first) + chr(second)
        return nfd.normalize_str(text) != text

    marks = {c: unicodedata.combining(chr(c)) for c in SCALAR_VALUES if c not in decomposed}
    lowest, highest = 0x0334, 0x0345  # the classes 1 and 240
    example = {}
    for c, number in marks.items():
        if number:
            example.setdefault(number, c)
    classes = {}
    for c, guess in marks.items():
        if c in HANGUL or not (swaps(c, lowest) or swaps(highest, c)):
            continue
        same = [number for number in ([guess] if guess else sorted(example))
                if not swaps(c, example[number]) and not swaps(example[number], c)]
        assert len(same) == 1, (hex(c), same)
        classes[c] = same[0]
    return classes


def all_properties(mappings: dict[str, dict[int, str]], classes: dict[int, int]) -> dict[int, int]:
    cleaned = cleaned_properties()
    words, spaces = word_characters(), stripped_spaces()
    accents = bert_normalizer(strip_accents=True)
    properties = {}
    for c in SCALAR_VALUES:
        bits = cleaned[c] | split_property(c)
        # A few, such as U+000B, are white space to the splitter but dropped by clean_text.
        assert bool(bits & WHITESPACE) == (c in spaces), hex(c)
        assert not bits & WHITESPACE or cleaned[c], hex(c)
        if is_chinese(c):
            bits |= CHINESE
        if c in words:
            bits |= WORD
        if c in mappings["decomposition"] or c in HANGUL:
            bits |= DECOMPOSES
        elif accents.normalize_str(f"a{chr(c)}b") == "ab":
            bits |= MARK
        if c in mappings["lower"]:
            bits |= LOWERS
        if c in classes:
            bits |= REORDERS
        properties[c] = bits
    return properties


def check_stripping(properties: dict[int, int], decomposed: dict[int, str]) -> None:
    """strip_accents must be: decompose, then drop the marks."""
    accents = bert_normalizer(strip_accents=True)
    for c, text in decomposed.items():
        kept = "".join(part for part in text if not properties[ord(part)] & MARK)
        assert accents.normalize_str(chr(c)) == kept, hex(c)


def rows(cells: list[str], width: int = 100) -> str:
    lines = [" "]
    for cell in cells:
        if len(lines[-1]) + len(cell) + 2 > width:
            lines.append(" ")
        lines[-1] += f" {cell},"
    return "\n".join(lines)


def changes(values: dict[int, int]) -> list[tuple[int, int]]:
    """(first code point, value) of each run of equal values."""
    found = []
    for c, value in values.items():
        if not found or found[-1][1] != value:
            found.append((c, value))
    return found


def page_index(runs: list[tuple[int, int]]) -> list[int]:
    """For each page, and for the one after the last, the run that its first code point is in."""
    starts = [first for first, _ in runs]
    return [bisect.bisect_right(starts, page * PAGE) - 1 for page in range(PAGES + 1)]


def mapping_rows(mapping: dict[int, str]) -> str:
    assert max(map(len, mapping.values())) <= 4
    return rows(["{0x%04X, {%s}}" % (c, ", ".join("0x%04X" % ord(part) for part in text))
                 for c, text in mapping.items()])


def table(comment: str, kind: str, name: str, content: str) -> str:
    return f"// {comment}\nconstexpr {kind} k{name}Rows[] = {{\n{content}\n}};\n\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", help="src/text/unicode_tables.cc")
    output = parser.parse_args().output

    lower = normalizers.Lowercase()
    lowered = {c: lower.normalize_str(chr(c)) for c in SCALAR_VALUES}
    lowered[0x03A3] = lower.normalize_str("\u03a3a")[0]  # alone it might be seen as a final sigma
    lowered = {c: text for c, text in lowered.items() if text != chr(c)}
    decomposed = decompositions()
    classes = combining_classes(decomposed)
    properties = all_properties({"decomposition": decomposed, "lower": lowered}, classes)
    check_stripping(properties, decomposed)

    class_runs = changes({c: classes.get(c, 0) for c in SCALAR_VALUES})
    text = f"""\
// What `tokenizers` {tokenizers.__version__} does with each code point. Generated; don't edit:
//   tools/make_unicode_tables.py src/text/unicode_tables.cc
#include "text/unicode_tables.h"

namespace tandem::unicode {{
namespace {{

// clang-format off
""" + table("First code point of each run, and the properties of the run.", "PropertyRun",
            "Property", rows(["{0x%04X, 0x%03X}" % run for run in changes(properties)])) \
        + table("The run that holds the first code point of each page of 256.", "std::uint16_t",
                "Page", rows([str(run) for run in page_index(changes(properties))])) \
        + table("First code point of each run, and its canonical combining class.", "ClassRun",
                "Class", rows(["{0x%04X, %d}" % run for run in class_runs])) \
        + table("Full canonical decompositions; Hangul syllables are computed.", "Mapping",
                "Decomposition", mapping_rows(decomposed)) \
        + table("Lower case, one code point at a time.", "Mapping", "Lower",
                mapping_rows(lowered)) + """\
// clang-format on

}  // namespace

const std::span<const PropertyRun> kPropertyRuns = kPropertyRows;
const std::span<const std::uint16_t> kPropertyPages = kPageRows;
const std::span<const ClassRun> kClassRuns = kClassRows;
const std::span<const Mapping> kDecompositions = kDecompositionRows;
const std::span<const Mapping> kLowerCase = kLowerRows;

}  // namespace tandem::unicode
"""
    partial = output + ".partial"
    with open(partial, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    os.replace(partial, output)
    print(f"{output}: {len(changes(properties))} property runs, {len(class_runs)} class runs, "
          f"{len(decomposed)} decompositions, {len(lowered)} lower-case mappings")


if __name__ == "__main__":
    main()
