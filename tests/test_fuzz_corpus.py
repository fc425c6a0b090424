"""The seeds and the corpus of fuzzing pass their targets in every run of the tests; nothing is fuzzed here."""

import json

import pytest
from fuzz.decoder import decoded
from fuzz.targets import CORPUS, TARGETS, corpus, seeds


@pytest.mark.parametrize("target", TARGETS)
def test_every_seed_and_corpus_document_passes_its_fuzz_target(target):
    documents = [*seeds(target), *corpus(target)]
    assert len(documents) > 80
    for document in documents:
        TARGETS[target](document)


def test_the_fuzz_corpus_is_small_and_ascii():
    files = sorted(CORPUS.iterdir())
    assert {path.stem for path in files} <= TARGETS.keys()
    assert all(path.read_bytes().isascii() for path in files)
    assert sum(path.stat().st_size for path in files) < 200_000


def test_decoded_reads_json_as_itself():
    assert decoded(b'{"a": [1.0]}', [None]) == {"a": [1.0]}


@pytest.mark.parametrize(
    ("data", "edited"),
    [
        # The bytes: which document, how many edits, then for each its place, the change, and what it puts there.
        (bytes([0, 0, 0, 0, 0, 0]), {"b": [2]}),
        (bytes([0, 0, 0, 0, 1, 4, 2, 1]), {"a": 1, "b": 1}),
        (bytes([0, 0, 0, 0, 2, 0]), {"a": 1, "b": []}),
    ],
)
def test_decoded_edits_a_document_by_other_bytes(data, edited):
    document = {"a": 1, "b": [2]}
    assert decoded(data, [document]) == edited
    assert document == {"a": 1, "b": [2]}


@pytest.mark.parametrize(
    "data", [b"", b"\xff" * 64, b"[" * 100_000, b"9" * 5_000], ids=["none", "high", "deep", "digits"]
)
def test_decoded_turns_any_bytes_into_a_value_that_json_can_carry(data):
    for target in TARGETS:
        json.dumps(decoded(data, seeds(target)))
