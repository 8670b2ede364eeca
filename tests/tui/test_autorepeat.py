"""Keys that are held down, told from keys that are pressed again."""

import pytest

from tui.autorepeat import Autorepeat


def presses(*times, key="enter"):
    """Which presses count, where the first one sends a decision."""
    keys = Autorepeat()
    counted = []
    for at in times:
        counted.append(keys.press(key, at))
        if at == times[0]:
            keys.sent()
    return counted


@pytest.mark.parametrize("delay", [0.2, 0.5, 0.66])
def test_a_held_key_counts_once(delay):
    """Keyboards begin to repeat after a fifth to two thirds of a second, and then go on fast."""
    assert presses(0.0, *(delay + i / 30 for i in range(100))) == [True] + [False] * 100


def test_a_key_that_was_let_go_counts_again():
    """A quarter of a second without it, once it repeats; the pause before that is longer."""
    assert presses(0.0, 0.5, 0.53, 0.56, 0.82) == [True, False, False, False, True]
    assert presses(0.0, 0.8) == [True, True]


def test_slow_presses_count_each():
    """A person who waits for each turn."""
    assert presses(*(float(i) for i in range(5))) == [True] * 5


def test_another_key_between_ends_it():
    """It can only have been let go."""
    keys = Autorepeat()
    keys.press("enter", 0.0)
    keys.sent()
    assert keys.press("right", 0.1)
    assert keys.press("enter", 0.2)


def test_a_key_that_sent_nothing_repeats_freely():
    """Arrows are held to move on."""
    keys = Autorepeat()
    assert all(keys.press("right", i / 30) for i in range(30))
