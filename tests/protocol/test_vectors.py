"""The known answers are the slow reference's own, and it owes nothing to the code that they check."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import make_vectors, reference_proofs

OUTSIDE = sys.stdlib_module_names | {"msgpack"}


def imported(path: Path) -> set[str]:
    """Every module that a file names, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names):
                found |= {one.name for one in names}
            case ast.ImportFrom(module):
                found |= (
                    {f"{module}.{one.name}" for one in node.names} if module == "tests.support" else {module or "."}
                )
    return found


def test_the_reference_imports_no_code_that_it_checks():
    """Plain integers and hashlib; msgpack frames what is hashed in both."""
    assert {name.partition(".")[0] for name in imported(Path(reference_proofs.__file__))} <= OUTSIDE


def test_vectors_are_made_by_the_reference_alone():
    names = imported(Path(make_vectors.__file__))
    allowed = {"tests.support.reference_proofs"}
    assert {name for name in names - allowed if name.partition(".")[0] not in OUTSIDE} == set()


def test_making_vectors_loads_neither_the_protocol_nor_its_curve():
    """Also not by way of something that is imported."""
    code = (
        "import sys, tests.support.make_vectors;"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'protocol', 'engine', 'btclib_secp256k1'}))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return make_vectors.texts()


@pytest.mark.parametrize("name", ["points", "keys", "shares", "shuffles", "contexts", "decks"])
def test_the_vectors_are_what_the_reference_makes(name, texts):
    """Byte by byte: nobody has mended a known answer by hand."""
    assert (make_vectors.VECTORS / f"{name}.json").read_text(encoding="utf-8") == texts[name]


def test_every_file_that_the_reference_makes_is_looked_at(texts):
    assert {*texts} == {"points", "keys", "shares", "shuffles", "contexts", "decks"}
