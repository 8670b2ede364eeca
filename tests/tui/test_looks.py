"""Cards, colours and clocks: readable without colour, of one width everywhere, and right each second."""

import unicodedata
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.color import Color

from engine.cards import PACK_52, PACK_BINGO, PACK_EQUILIBRIUM
from engine.clock import Byoyomi, Paced, Reserve, start
from protocol.view import SeatTime
from tui import actions, themes
from tui.canvas import Canvas, clip, short, wrap
from tui.clockface import face
from tui.glyphs import CP437, LETTERS, LOOKS, PLAIN_ASCII, UNICODE, encodes_utf8
from tui.peertext import name, safe
from tui.settings import Settings, UnreadableSettings, load, save, turned


@pytest.mark.parametrize("look", LOOKS.values(), ids=lambda look: look.name)
@pytest.mark.parametrize("width", [2, 3])
def test_every_card_of_a_pack_has_one_width(look, width):
    """A grid keeps its columns for all cards, the ten too (T04)."""
    assert {cell_len(look.face(card, width)) for card in PACK_BINGO} == {width}
    assert {cell_len(look.face(card, width)) for card in PACK_52} == {width}
    assert {cell_len(look.face(card, 3)) for card in PACK_EQUILIBRIUM} == {3}


@pytest.mark.parametrize("look", LOOKS.values(), ids=lambda look: look.name)
def test_cards_tell_apart_without_colour(look):
    """Two different cards never look alike, whatever the colours (T05)."""
    for pack in (PACK_BINGO, PACK_52, PACK_EQUILIBRIUM):
        assert len({look.face(card, 3) for card in pack}) == len({*pack})
        assert len({look.face(card, 2) for card in pack}) == len({*pack})


def test_no_sign_of_ours_has_an_emoji_form_or_another_width():
    """No emoji, no variation selectors; ascii is ascii (T04)."""
    for look in (UNICODE, CP437, LETTERS):
        signs = "".join([*look.bingo.values(), *look.colours.values(), look.empty, look.back, look.turn, *look.bar])
        assert all(cell_len(sign) == 1 and ord(sign) < 0x2700 for sign in signs)
        assert not any(unicodedata.category(sign) in ("Mn", "Cf") for sign in signs)
    ascii_signs = [*PLAIN_ASCII.bingo.values(), *PLAIN_ASCII.suits.values(), PLAIN_ASCII.empty, PLAIN_ASCII.ellipsis]
    assert "".join(ascii_signs).isascii()


def test_plain_c_locale_gets_ascii(monkeypatch):
    """LC_ALL=C means ascii, whatever Python itself would do (T14)."""

    class Out:
        encoding = "utf-8"

    monkeypatch.setenv("LC_ALL", "C")
    assert not encodes_utf8(Out())
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert encodes_utf8(Out())
    Out.encoding = "latin-1"
    assert not encodes_utf8(Out())


def _contrast(one: str, two: str) -> float:
    high, low = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    triplet = Color.parse(colour).get_truecolor()
    parts = [value / 255 for value in triplet]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_role_has_contrast(theme):
    """At least 4.5 for each foreground against the background of its theme (T06)."""
    from textual.theme import BUILTIN_THEMES

    found = BUILTIN_THEMES[themes.THEMES[theme]]
    background = found.to_color_system().generate()["background"]
    for role in themes.ROLES:
        colour = themes.COLOURS[theme].get(role)
        if colour:
            assert _contrast(colour, background) >= 4.5, role


@pytest.mark.parametrize("name_", [*themes.COLOURS])
def test_a_selection_is_seen_without_colour(name_):
    """Cursor, pick, draft and banner are reversed in every palette; no foreground is its background."""
    for role in ("cursor", "pick", "draft", "banner", "alarm"):
        assert themes.Palette(name_).style(role).reverse
    for role in themes.ROLES:
        style = themes.Palette(name_).style(role)
        assert style.bgcolor is None


def test_no_colour_means_none():
    """The palette for NO_COLOR has attributes only."""
    assert all(themes.Palette("none").style(role).color is None for role in themes.ROLES)


# --- clocks ----------------------------------------------------------------------------------------------------------

BINGO = Reserve(60_000, 300_000, 10_000)


@pytest.mark.parametrize(
    ("passed", "text"),
    [
        (0, "1:00 +5:00"),
        (18, "0:42 +5:00"),
        (60, "0:00 +5:00"),
        (60.1, "0:00 +4:50"),
        (70.0, "0:00 +4:50"),
        (70.1, "0:00 +4:40"),
    ],
)
def test_started_blocks_come_off_the_reserve(passed, text):
    """60.0 s cost nothing, 60.1 s ten, 70.1 s twenty (T10)."""
    assert face(SeatTime(60_000, 300_000, running=True, at=0.0), BINGO, passed).text == text


def test_display_and_engine_agree_each_second():
    """What is shown after each second of a turn is what the engine will charge, to the end of the reserve (T10)."""
    clock = start(BINGO, 2)
    for second in range(361):
        shown = face(SeatTime(60_000, 300_000, running=True, at=0.0), BINGO, float(second))
        charged = clock.charged(0, "turn", second * 1000)
        assert shown.reserve == charged.seats[0].left
        assert shown.left == clock.budget(0, "turn") - second * 1000


def test_byoyomi_loses_periods_as_the_engine_does():
    """5 x 60 s: a period is gone at exactly 60 s, and the last one ends the match (T10)."""
    control = Byoyomi(5, 60_000)
    clock = start(control, 2)
    for second in range(300):
        shown = face(SeatTime(60_000, 5, running=True, at=0.0), control, float(second))
        assert shown.reserve == clock.charged(0, "turn", second * 1000).seats[0].left
    assert face(SeatTime(60_000, 5, running=True, at=0.0), control, 61.0).text == "0:59 x4"


def test_a_paced_clock_stops_at_nothing():
    """A limit counts down to 0:00 and no further."""
    control = Paced((("first", 30_000),), 0)
    assert face(SeatTime(30_000, 0, running=True, at=0.0), control, 9.0).text == "0:21"
    assert face(SeatTime(30_000, 0, running=True, at=0.0), control, 99.0).text == "0:00"


# --- foreign text, canvas, settings, keys ----------------------------------------------------------------------------


def test_foreign_text_is_one_printable_line():
    """Controls, direction marks, emoji, variation selectors and piled accents go; the rest stays."""
    assert safe("a\x1b[31mb\u202ec\nd\u200b") == "a[31mbc d"
    assert safe("ok \U0001f600\ufe0f!") == "ok !"
    assert safe("Ünïcode 日本") == "Ünïcode 日本"
    assert len(safe("e" + "\u0335" * 40)) <= 3
    assert safe("x" * 400).endswith("...")
    assert name("\u200b\u202e", 1) == "Player 2"


def test_a_wide_sign_takes_two_cells():
    """A canvas keeps its width whatever the text."""
    canvas = Canvas(6, 1)
    canvas.put(0, 0, "日本語日")
    assert canvas.text() == "日本語"
    assert cell_len("".join(text for text, _ in canvas.runs(0))) == 6


@pytest.mark.parametrize(("before", "after"), [("日本", "本日"), ("日ab", "xyab"), ("xyab", "x日b"), ("x日", "日y")])
def test_a_changed_span_cuts_no_wide_sign_in_half(before, after):
    """Neither the old sign nor the new one: half of it can't be sent."""
    one, two = Canvas(9, 1), Canvas(9, 1)
    one.put(2, 0, before)
    two.put(2, 0, after)
    ((first, last),) = two.changes(one, 0)
    for canvas in (one, two):
        assert canvas.signs[0][first] != ""
        assert canvas.signs[0][last] != ""


@pytest.mark.parametrize("width", [-3, 0, 1, 2, 5, 200])
def test_wrapping_ends_for_any_width(width):
    """No width makes wrap or clip run for ever or lose text."""
    text = "a veryverylongword  日本語 and  more"
    assert "".join("".join(wrap(text, width, "      ")).split()) == "".join(text.split())
    assert cell_len(clip(text, width)) == max(0, width)


def test_settings_survive_and_damage_is_said(tmp_path):
    """What is saved is loaded; a broken file is reported and left alone."""
    changed = turned(turned(Settings(keys={"table.chat": "c"}), "bell"), "theme")
    save(tmp_path, changed)
    assert load(tmp_path) == changed
    (tmp_path / "settings.toml").write_text("bell = 7")
    with pytest.raises(UnreadableSettings):
        load(tmp_path)
    assert (tmp_path / "settings.toml").read_text() == "bell = 7"


@pytest.mark.parametrize("keys", ['"table.chat" = 5', "table.chat = 't'", '"table.chat" = ["t"]'])
def test_a_key_that_is_no_text_is_damage_too(tmp_path, keys):
    """A number, a list, and a dot without quotation marks, which TOML takes for a table in a table."""
    (tmp_path / "settings.toml").write_text(f"[keys]\n{keys}")
    with pytest.raises(UnreadableSettings):
        load(tmp_path)


def test_keys_never_clash():
    """No two actions of one group share a key; a clash in the settings is told."""
    assert actions.clashes({}) == ()
    assert actions.clashes({"table.chat": "v"}) == ("v would be both table.chat and table.verify",)
    assert actions.clashes({"table.nothing": "x"}) == ("no action 'table.nothing'",)


def test_the_keys_of_a_list_and_of_its_page_are_told_apart():
    """A list stands on a page: one key can't be for both."""
    assert actions.clashes({"menu.choose": "k"}) == ("k would be both page.up and menu.choose",)


def test_style_sheets_stand_beside_the_code():
    """Package data is found from the package itself (K01)."""
    assert (Path(themes.__file__).parent / "app.tcss").exists()


@pytest.mark.parametrize(
    ("name", "width", "shown"),
    [
        ("Ada", 8, "Ada"), ("Ada Lovelace", 8, "Ada"), ("Wilhelmina von Krug", 14, "Wilhelmina"), ("WILHELMINA VON K", 8, "WILHELM."),
        ("Wilhelminas", 8, "Wilhelm."), ("Anna Maria Mozart", 12, "Anna Maria"), ("日本太郎さん", 8, "日本太."), ("Ada", 0, ""),
    ],
)  # fmt: skip
def test_a_long_name_is_cut_at_a_word_or_with_a_dot(name, width, shown):
    """In so many cells; nothing of it ends in the middle of a word without saying so."""
    assert short(name, width) == shown
