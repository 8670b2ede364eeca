"""Two peers: messages, secrets, proofs, transcript, journal, channel. Knows Step and Event, knows no rule."""
