"""What the documents name exists: tests, files, headings; and no document knows the machine it was written on."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
THREATS = ROOT / "docs" / "threat-model.md"
NAMED = re.compile(r"`((?:\w+/)*test_\w+\.py)::(test_\w+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
MENTION = re.compile(r"(?<![\w/.-])((?:docs|tests|engine|protocol|tui)/[\w./-]*\w\.(?:md|py|json|toml))")
CITED = re.compile(r'(docs/[a-z-]+\.md), "([^"\n]+)"(?: and "([^"\n]+)")?')
MACHINE = re.compile(r"(?:/home/|/root\b|/Users/|/work/|/workspace|[A-Z]:\\Users|\.\./shared)")
ALL_PAGES = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@cache
def names_in(path: Path) -> frozenset[str]:
    """The names of the test functions of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(node.name for node in found if node.name.startswith("test_"))


def titles(path: Path) -> frozenset[str]:
    """The headings of a page, without their numbers and the files they name."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return frozenset(line.lstrip("#0123456789. ").partition(" (`")[0] for line in lines if line.startswith("#"))


def located(name: str) -> Path:
    """Where no folder is named, tests/protocol/."""
    return ROOT / name if "/" in name else ROOT / "tests" / "protocol" / name


@cache
def anchors(path: Path) -> frozenset[str]:
    """The headings of a page, as a link names them."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles)


def test_every_test_that_the_threat_model_names_exists():
    """A row whose test was renamed shows nothing."""
    named = NAMED.findall(THREATS.read_text(encoding="utf-8"))
    assert len(named) > 100
    missing = [
        f"{file}::{name}" for file, name in named if not located(file).exists() or name not in names_in(located(file))
    ]
    assert missing == []


def test_nothing_that_looks_like_a_test_escapes_the_check_above():
    """Every name with two colons is spelt so that it is checked."""
    text = THREATS.read_text(encoding="utf-8")
    assert len(re.findall(r"::", text)) == len(NAMED.findall(text))


def test_every_row_of_an_attack_names_its_test():
    """A table of attacks has four columns; the last is the evidence, or says that there is none."""
    rows = [
        row for row in THREATS.read_text(encoding="utf-8").splitlines() if row.startswith("| ") and "---" not in row
    ]
    attacks = [cells for row in rows if len(cells := row.strip("| ").split(" | ")) == 4 and cells[0] != "attack"]
    assert len(attacks) > 60
    assert [
        cells[0] for cells in attacks if not NAMED.search(cells[3]) and cells[3] != "none: not a matter of code"
    ] == []


@pytest.mark.parametrize("number", range(1, 39))
def test_every_case_has_a_row(number):
    """P01 to P38 are the cases that docstrings of tests speak of."""
    assert f"| P{number:02} |" in THREATS.read_text(encoding="utf-8")


@ALL_PAGES
def test_every_relative_link_leads_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), target


@ALL_PAGES
def test_every_file_that_is_mentioned_exists(page):
    for name in MENTION.findall(page.read_text(encoding="utf-8")):
        assert (ROOT / name).exists(), name


def test_every_section_that_the_code_cites_exists():
    """A heading ends where its file names begin: "Slots" is `## Slots (`protocol/exchange.py`)`."""
    cited = set()
    for package in ("engine", "protocol", "tui"):
        for path in (ROOT / package).rglob("*.py"):
            for page, first, second in CITED.findall(path.read_text(encoding="utf-8")):
                cited |= {(page, title) for title in (first, second) if title}
    assert len(cited) > 10
    missing = {(page, title) for page, title in cited if title not in titles(ROOT / page)}
    assert not missing


@ALL_PAGES
def test_no_page_knows_the_machine_it_was_written_on(page):
    assert MACHINE.findall(page.read_text(encoding="utf-8")) == []


def test_decisions_are_numbered_without_gaps():
    """Each once, in the order in which they were taken."""
    numbers = [int(path.name[:3]) for path in sorted((ROOT / "docs" / "decisions").glob("*.md"))]
    assert numbers == [*range(1, len(numbers) + 1)]


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "decisions").glob("*.md")), ids=lambda page: page.stem)
def test_a_decision_begins_with_its_number(page):
    assert page.read_text(encoding="utf-8").startswith(f"# {page.name[:3]} ")
