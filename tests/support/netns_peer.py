"""A peer for the network namespaces: python -m tests.support.netns_peer ROLE SEED PORT SILENCE ADDRESS...

Prints one JSON line an event. Roles: listen (echoes), dial (beats, redials), host and guest (meet in the middle).
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from protocol.addresses import parse_address
from protocol.credentials import Credentials, TlsKey
from protocol.dialling import NotReached, dial, simultaneous_open
from protocol.errors import LinkLost
from protocol.link import Deadlines
from protocol.transport import listen

BEAT = 0.2  # seconds
REDIAL = 0.3


def tell(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


async def echo(link):
    link.trust()
    tell("connected", remote=link.remote)
    last = time.monotonic()
    try:
        while True:
            await link.send(await link.receive())
            last = time.monotonic()
    except LinkLost as lost:
        tell("lost", why=str(lost), after=time.monotonic() - last)


async def beat(link):
    last = time.monotonic()
    try:
        while True:
            await link.send(b"beat")
            await link.receive()
            last = time.monotonic()
            await asyncio.sleep(BEAT)
    except LinkLost as lost:
        tell("lost", why=str(lost), after=time.monotonic() - last)


async def listening(credentials, port, deadlines, _addresses):
    tasks = set()
    listener = await listen("", port, credentials, lambda link: tasks.add(asyncio.create_task(echo(link))), deadlines)
    tell("listening", port=listener.port)
    await asyncio.Event().wait()


async def dialling(credentials, _port, deadlines, addresses):
    while True:
        begun = time.monotonic()
        try:
            link = await dial(addresses, credentials, within=3, deadlines=deadlines)
        except NotReached as failed:
            tell("not-reached", tried=[[str(one.address), one.why] for one in failed.failures])
            await asyncio.sleep(REDIAL)
            continue
        tell("connected", remote=link.remote, seconds=time.monotonic() - begun)
        await beat(link)


def meeting(role):
    async def meet(credentials, port, deadlines, addresses):
        link = await simultaneous_open(port, addresses, credentials, role, deadlines=deadlines)
        await link.send(role.encode())
        tell("met", peer=(await link.receive()).decode())
        await link.close()

    return meet


def main():
    role, seed, port, silence, *addresses = sys.argv[1:]
    work = {"listen": listening, "dial": dialling, "host": meeting("host"), "guest": meeting("guest")}[role]
    credentials = Credentials.by_invite(TlsKey.issue(bytes.fromhex(seed)), bytes.fromhex(seed))
    deadlines = Deadlines(silence=float(silence), frame=float(silence), write=float(silence))
    asyncio.run(work(credentials, int(port), deadlines, [parse_address(text) for text in addresses]))


if __name__ == "__main__":
    main()
