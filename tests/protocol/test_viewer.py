"""What the screen sees of a session."""

from protocol.view import Reconnecting
from protocol.viewer import Viewer
from tests.support.pair import Pair, make_terms

LONG_AGO = 1_700_000_000  # s since the epoch


def test_after_a_restart_each_event_has_the_time_at_which_it_happened():
    """As the journal kept it; not the time of the restart. One second passes with each row."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(12)
    rows = pair.journals[0].rows()
    pair.journals[0]._db.execute("UPDATE messages SET at = ? + n", (LONG_AGO,))
    pair.restart(0)
    log = Viewer("Ada", "Bob").view(pair.sessions[0], Reconnecting(0.0, "lost", None), verified=False).log
    times = [entry.at for entry in log]
    assert times
    assert all(LONG_AGO < at <= LONG_AGO + len(rows) for at in times)
    assert times == sorted(times)
    assert len(set(times)) == len({entry.slot for entry in log})
