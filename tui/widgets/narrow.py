"""Only the cells that changed go to the terminal: Textual 8 sends a row from the left edge of its widget to the change."""

from __future__ import annotations

from rich.console import Console, RenderableType
from rich.control import Control
from textual._compositor import ChopsUpdate


class Narrow(ChopsUpdate):
    """An update of spans, each cropped at both ends."""

    def render_segments(self, console: Console) -> str:
        return "".join(
            Control.move_to(max(x, first), y).segment.text
            + strip.crop(max(x, first) - x, min(end, last) - x).render(console)
            for y, first, last in self.spans
            for end, (x, strip) in zip(self.chop_ends[y], self.chops[y].items(), strict=False)
            if strip is not None and x < last and first < end
        )


def narrowed(update: RenderableType | None) -> RenderableType | None:
    """The same picture in fewer bytes; whatever is no update of spans stays as it is."""
    return Narrow(update.chops, update.spans, update.chop_ends) if isinstance(update, ChopsUpdate) else update
