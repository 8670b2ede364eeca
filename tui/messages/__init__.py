"""Message ids and their words."""
