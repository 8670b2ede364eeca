"""The program in a real terminal: bytes, colours, encodings, figures; and where there is no terminal."""

import os
import subprocess
import sys
import time

import pytest

from tests.support.terminal import TABLE, Terminal

DEALT = "Round 1 dealt"
DEALERLESS = [sys.executable, "-m", "tui.cli"]
HOST = [*DEALERLESS, "host", "counterbluff", "--bind", "127.0.0.1"]
LOST = [sys.executable, "-c", "from tests.support.screens import lost; lost()"]
WATCHED = 4  # s


@pytest.fixture
def table(tmp_path):
    """A table of Poker Bingo in a terminal; environment may be named."""
    opened = []

    def start(**environment):
        terminal = Terminal(TABLE, tmp_path, **environment)
        opened.append(terminal)
        terminal.until(lambda text: DEALT in text)
        return terminal

    yield start
    for terminal in opened:
        terminal.close()


def test_a_turn_is_played_and_the_table_left(table):
    """Enter, enter, q, y in a real terminal: one turn, exit 0."""
    terminal = table()
    terminal.send(b"\r")
    terminal.until(lambda text: "placed, not sent" in text)
    terminal.send(b"\r")
    terminal.until(lambda text: "Turn 2/10" in text)
    terminal.send(b"q")
    terminal.until(lambda text: "Leave the table?" in text)
    terminal.send(b"y")
    assert terminal.ended() == 0


@pytest.mark.parametrize(
    "noise", [b"\x1b[M\x82\x90\x90", b"\xe2\x99", b"\xff" * 100_000, b"\x1b[999;999z\x1b[1;2;3;4~\x1b[<0;999;999M"]
)
def test_stray_bytes_make_no_move(table, noise):
    """X10 mouse bytes, half a UTF-8 sequence, a flood of 0xff, unknown sequences: no crash, no move (T15)."""
    terminal = table()
    for start in range(0, len(noise), 4096):
        terminal.send(noise[start : start + 4096])
        terminal.read(0.01)
    terminal.send(b"\x1b[C")
    terminal.until(lambda text: "Turn 1/10" in text)
    assert terminal.process.poll() is None
    terminal.send(b"s")
    terminal.until(lambda text: "you lead" in text)


def test_no_color_sends_no_colour(table):
    """NO_COLOR: attributes only; what is selected is reversed (T06)."""
    terminal = table(NO_COLOR="1")
    assert b"\x1b[38;" not in terminal.raw.replace(b"\x1b[38;5;", b"\x1b[38;")
    assert b"48;2;" not in terminal.raw
    assert b"\x1b[7;" in terminal.raw


@pytest.mark.parametrize("name", ["xterm", "screen", "linux"])
def test_few_colours_keep_the_cursor(table, name):
    """16 colours or 8: the cursor is in brackets and reversed, the chosen card has a sign of its own (T13)."""
    terminal = table(TERM=name)
    rows = terminal.text().splitlines()
    row = next(number for number, text in enumerate(rows) if "[··]" in text)
    assert terminal.screen.buffer[row][rows[row].index("[··]") + 1].reverse
    assert any("1►1" in text for text in rows)
    assert b"38;2;" not in terminal.raw


def test_windows_change_in_a_real_terminal(table):
    """Twenty sizes in a row; back at 80x24 the table is whole (T03)."""
    terminal = table()
    for size in [(20, 5), (1, 1), (200, 60), (80, 24)] * 5:
        terminal.resize(*size)
        terminal.read(0.05)
    terminal.until(lambda text: "R1 You" in text and "Hand" in text)


@pytest.mark.parametrize(
    ("command", "shown"),
    [(TABLE, DEALT), (LOST, "RECONNECTING"), (HOST, "dealerless1")],
    ids=["running clock", "lost link", "lobby"],
)
def test_who_only_waits_sends_little(tmp_path, command, shown):
    """At most 20 kB a minute go to the terminal (T08)."""
    terminal = Terminal(command, tmp_path)
    try:
        terminal.until(lambda text: shown in text)
        while terminal.read(0.6):
            pass
        before, end = len(terminal.raw), time.monotonic() + WATCHED
        while (left := end - time.monotonic()) > 0:
            terminal.read(left)
        assert shown in terminal.text()
        assert len(terminal.raw) - before <= WATCHED * 20_000 / 60
    finally:
        terminal.close()


@pytest.mark.parametrize("command", [["practice", "poker-bingo"], [], ["host", "counterbluff"]])
def test_without_a_terminal_one_line_and_out(tmp_path, command):
    """A pipe and no --plain: one line, not 0, at once (T07)."""
    environment = {**os.environ, "DEALERLESS_HOME": str(tmp_path)}
    found = subprocess.run(
        [*DEALERLESS, *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment,
        timeout=20,
        check=False,
    )
    assert found.returncode == 2
    assert found.stderr.count("\n") == 1
    assert "--plain" in found.stderr
    assert found.stdout == ""


def test_a_dumb_terminal_is_pointed_to_plain(tmp_path):
    """TERM=dumb: one line that names --plain."""
    terminal = Terminal([*DEALERLESS, "practice", "poker-bingo"], tmp_path, TERM="dumb")
    try:
        assert terminal.ended() == 2
        terminal.read(0.2)
        assert "--plain" in terminal.text()
    finally:
        terminal.close()


@pytest.mark.parametrize(
    "modules",
    [
        "tui.cli",
        "tui.plain",
        "tui.arena",
        "tui.practice",
        "tui.actions",
        "tui.settings",
        "tui.messages.words",
        "tui.messages.terms",
        "tui.tables.poker_bingo_words",
        "tui.local_match",
    ],
)
def test_lines_need_no_textual(modules):
    """What runs without a screen imports none."""
    code = f"import sys, {modules}; sys.exit(any(name == 'textual' or name.startswith('textual.') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_games_words_need_no_textual():
    """The words of all games, as plain mode loads them."""
    code = (
        "import sys\nfrom engine.games import GAMES\nfrom tui.tables import words_type\n"
        "for game in GAMES: words_type(game.variant)\n"
        "sys.exit(any(name.startswith('textual') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_lc_all_c_draws_ascii(tmp_path):
    """LC_ALL=C: ascii faces and frames, aligned (T14)."""
    code = (
        "from tests.support.screens import app, bingo; from tui.glyphs import choose; from pathlib import Path; import sys;"
        "sys.exit(app(Path(sys.argv[1]), bingo(), look=choose('auto')).run())"
    )
    terminal = Terminal([sys.executable, "-c", code, str(tmp_path)], tmp_path, LC_ALL="C", PYTHONUTF8="0")
    try:
        text = terminal.until(lambda text: DEALT in text)
        assert text.isascii()
        assert {len(row) for row in terminal.screen.display} == {80}
        assert "+-- R1 You" in text or "- R1 You -" in text
    finally:
        terminal.close()
