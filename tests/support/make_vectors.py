"""Write tests/vectors/*.json from the slow reference: `python -m tests.support.make_vectors`. The same bytes every time.

Each accepted case stands beside the rejects that mutate it; a reject is a splice of one field of the case.
"""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

from tests.support import reference_proofs as reference
from tests.support.reference_proofs import BASE, FIELD, ORDER, Affine, Card, H, encode, encode_deck, mul, point

VECTORS = Path(__file__).parent.parent / "vectors"
CTX, DECK_HASH, HEAD = H("ctx", b"match", 0, 0, 1), H("deck", b"match"), H("slot", b"slot 0")
ABOVE_FIELD = bytes([2]) + (FIELD + 1).to_bytes(32, "big")
NO_POINT = bytes([2]) + (5).to_bytes(32, "big")


def scalar(rng: random.Random) -> int:
    return rng.randrange(1, ORDER)


def splice(why: str, field: str, at: int, remove: int, insert: bytes) -> dict[str, Any]:
    return {"why": why, "field": field, "at": at, "remove": remove, "insert": insert.hex()}


def points() -> list[dict[str, str]]:
    parts: list[tuple[Any, ...]] = [
        ("gen", "h"),
        *(("gen", j) for j in range(8)),
        ("card", "poker-bingo", 0),
        ("card", "poker-bingo", 1),
    ]
    return [{"parts": json.dumps(p), "point": encode(point(*p)).hex()} for p in parts]


def keys(rng: random.Random) -> list[dict[str, Any]]:
    def case(peer: int) -> dict[str, Any]:
        x = scalar(rng)
        proof = reference.prove_key(HEAD, peer, x, scalar(rng))
        return {
            "accept": {
                "head": HEAD.hex(),
                "peer": peer,
                "x": f"{x:064x}",
                "X": encode(mul(x, BASE)).hex(),
                "proof": proof.hex(),
            },
            "rejects": [
                splice("another head", "head", 0, 1, bytes([HEAD[0] ^ 1])),
                splice("another key", "X", 0, 33, encode(mul(x + 1, BASE))),
                splice("the negated key", "X", 0, 1, bytes([encode(mul(x, BASE))[0] ^ 1])),
                splice("key is no point", "X", 0, 33, NO_POINT),
                splice("key above the field", "X", 0, 33, ABOVE_FIELD),
                splice("c is another", "proof", 31, 1, bytes([proof[31] ^ 1])),
                splice("s is another", "proof", 63, 1, bytes([proof[63] ^ 1])),
                splice("s is zero", "proof", 32, 32, bytes(32)),
                splice("c above the order", "proof", 0, 32, b"\xff" * 32),
                splice("one byte short", "proof", 63, 1, b""),
                splice("one byte long", "proof", 64, 0, b"\0"),
            ],
        }

    return [case(0), case(1)]


def shares(rng: random.Random) -> list[dict[str, Any]]:
    x = scalar(rng)
    X, card = mul(x, BASE), (mul(scalar(rng), BASE), mul(scalar(rng), BASE))
    D, c, s = reference.prove_share(CTX, DECK_HASH, 1, 5, card, x, scalar(rng))
    accept = {
        "ctx": CTX.hex(), "deck_hash": DECK_HASH.hex(), "seat": 1, "position": 5, "x": f"{x:064x}", "X": encode(X).hex(),
        "a": encode(card[0]).hex(), "b": encode(card[1]).hex(), "D": D.hex(), "c": c.hex(), "s": s.hex(),
    }  # fmt: skip
    other = encode(mul(scalar(rng), BASE))
    rejects = [splice(f"another {name}", name, 0, 33, other) for name in ("X", "a", "b", "D")]
    rejects += [
        splice(f"another {name}", name, 31, 1, bytes([bytes.fromhex(str(accept[name]))[31] ^ 1]))
        for name in ("ctx", "deck_hash", "c", "s")
    ]
    rejects += [splice("D is no point", "D", 0, 33, NO_POINT), splice("D above the field", "D", 0, 33, ABOVE_FIELD)]
    rejects += [
        splice("c is zero", "c", 0, 32, bytes(32)),
        splice("s is the order", "s", 0, 32, ORDER.to_bytes(32, "big")),
    ]
    rejects += [splice("s has 31 bytes", "s", 31, 1, b""), splice("D has 34 bytes", "D", 33, 0, b"\0")]
    return [{"accept": accept, "rejects": rejects}]


def shuffles(rng: random.Random) -> list[dict[str, Any]]:
    cases = []
    for n in (1, 2, 3, 5):
        x = scalar(rng)
        deck: tuple[Card, ...] = tuple((BASE, reference.add(point("card", "test", i), mul(x, BASE))) for i in range(n))
        first = shuffle(rng, mul(x, BASE), deck)
        cases.append(first)
    out = bytes.fromhex(first["accept"]["out"])
    on_top = [reference.decode(out[i : i + 33]) for i in range(0, len(out), 33)]
    cases.append(shuffle(rng, mul(x, BASE), tuple(zip(on_top[::2], on_top[1::2], strict=True))))
    return cases


def shuffle(rng: random.Random, X: Affine, deck: tuple[Card, ...]) -> dict[str, Any]:
    n = len(deck)
    psi = rng.sample(range(n), n)
    witness = reference.Witness(
        reference.permutation_matrix(psi), tuple(scalar(rng) for _ in range(n)), tuple(scalar(rng) for _ in range(n))
    )
    statement = reference.Statement(X, CTX, deck)
    out, proof = reference.prove(statement, witness, rng)
    z = statement.z(out, proof[: 33 * n])
    accept = {
        "n": n, "ctx": CTX.hex(), "X": encode(X).hex(), "deck": encode_deck(deck).hex(), "out": out.hex(), "proof": proof.hex(),
        "psi": psi, "z": z.hex(), "u": [f"{reference.Hs('tw-u', z, i):064x}" for i in range(n)],
    }  # fmt: skip
    other, rest = encode(mul(scalar(rng), BASE)), 66 * n
    names = ["e", "s1", "s2", "s3", "s4", *(f"sh_{j}" for j in range(n)), *(f"s'_{j}" for j in range(n))]
    rejects = [splice(f"another c_{j}", "proof", 33 * j, 33, other) for j in range(n)]
    rejects += [splice(f"another ch_{j}", "proof", 33 * (n + j), 33, other) for j in range(n)]
    rejects += [
        splice(f"another {name}", "proof", rest + 32 * i + 31, 1, bytes([proof[rest + 32 * i + 31] ^ 1]))
        for i, name in enumerate(names)
    ]
    rejects += [splice(f"replaced card {j}", "out", 66 * j + 33, 33, other) for j in range(n)]
    rejects += [splice("another input card", "deck", 33, 33, other), splice("another key", "X", 0, 33, other)]
    rejects += [splice("another ctx", "ctx", 0, 1, bytes([CTX[0] ^ 1]))]
    rejects += [
        splice("c_0 is no point", "proof", 0, 33, NO_POINT),
        splice("card above the field", "out", 0, 33, ABOVE_FIELD),
    ]
    rejects += [
        splice("e is zero", "proof", rest, 32, bytes(32)),
        splice("s1 above the order", "proof", rest + 32, 32, b"\xff" * 32),
    ]
    rejects += [
        splice("proof one byte short", "proof", len(proof) - 1, 1, b""),
        splice("proof one byte long", "proof", len(proof), 0, b"\0"),
    ]
    rejects += [splice("dropped card", "out", 0, 66, b""), splice("added card", "out", 0, 0, other * 2)]
    if n > 1:
        rejects += [
            splice("duplicate card", "out", 66, 66, out[:66]),
            splice("swapped cards", "out", 0, 132, out[66:132] + out[:66]),
        ]
    return {"accept": accept, "rejects": rejects}


def contexts() -> list[dict[str, Any]]:
    """What mixes, shares and remixed hands are bound to; any two differ in one field at least."""
    rng = random.Random("dealerless contexts")
    places = list(itertools.product((rng.randbytes(32), rng.randbytes(32)), (0, 1, 300)))
    cases: list[dict[str, Any]] = []
    for (match, number), back, seat in itertools.product(places, ("", "r"), (0, 1)):
        ctx = reference.mix_context(match, number, back, seat)
        cases.append(
            {"of": "mix", "match": match.hex(), "number": number, "back": back, "seat": seat, "ctx": ctx.hex()}
        )
    for (match, number), back in itertools.product(places, ("", "r")):
        ctx = reference.pile_context(match, number, back)
        cases.append({"of": "pile", "match": match.hex(), "number": number, "back": back, "ctx": ctx.hex()})
    for (match, number), seat in itertools.product(places, (0, 1)):
        ctx = reference.hand_context(match, number, seat)
        cases.append({"of": "hand", "match": match.hex(), "number": number, "seat": seat, "ctx": ctx.hex()})
    return cases


def decks() -> list[dict[str, Any]]:
    """The hash that names a mixed deck in a share."""
    rng = random.Random("dealerless decks")
    rows = [tuple((mul(scalar(rng), BASE), mul(scalar(rng), BASE)) for _ in range(2)) for _ in range(2)]
    names, kinds = itertools.product((rng.randbytes(32), rng.randbytes(32)), (0, 1), ("", "r")), ("pile", "hand")
    found = []
    for (match, number, back), kind, secret, deck in itertools.product(names, kinds, (5, 6), rows):
        key = encode(mul(secret, BASE))
        hashed = reference.deck_hash(match, kind, number, back, key, encode_deck(deck))
        found.append({
            "match": match.hex(), "name": [kind, number, back], "key": key.hex(), "deck": encode_deck(deck).hex(),
            "hash": hashed.hex(),
        })  # fmt: skip
    return found


def texts() -> dict[str, str]:
    """Every file of vectors, by name."""
    rng = random.Random("dealerless vectors")
    files = {"points": points(), "keys": keys(rng), "shares": shares(rng), "shuffles": shuffles(rng)}
    files |= {"contexts": contexts(), "decks": decks()}
    return {name: json.dumps(cases, indent=1) + "\n" for name, cases in files.items()}


def main() -> None:
    VECTORS.mkdir(exist_ok=True)
    for name, text in texts().items():
        (VECTORS / f"{name}.json").write_text(text)


if __name__ == "__main__":
    main()
