"""The rules of the games: pure values and functions. Same input, same output; no clock, chance, files, sockets or hashes."""
