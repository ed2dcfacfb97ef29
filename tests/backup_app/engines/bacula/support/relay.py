"""Lets hosts of a test's network reach a server that listens on 127.0.0.1 only."""

import asyncio
import contextlib
import threading


class Relay:
    """Listens on ``address`` and hands all on to a server; ``port`` is where, once started."""

    def __init__(self, address: str, server: tuple[str, int]):
        self._address, self._server = address, server
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def start(self) -> None:
        self._thread.start()
        listening = asyncio.start_server(self._serve, self._address, 0)
        self._listener = asyncio.run_coroutine_threadsafe(listening, self._loop).result(10)
        self.port = self._listener.sockets[0].getsockname()[1]

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _serve(self, reader, writer):
        there = await asyncio.open_connection(*self._server)
        await asyncio.gather(_copy(reader, there[1]), _copy(there[0], writer))


async def _copy(reader, writer):
    # Who is killed closes nothing.
    with contextlib.suppress(OSError):
        while block := await reader.read(65536):
            writer.write(block)
            await writer.drain()
    writer.close()
