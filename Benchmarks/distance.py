"""A relay to a database server that delays everything, as a network between two hosts does."""
import asyncio
import threading


class Distance:
    """Listens on the socket of PostgreSQL in `folder`, and passes each byte on to the one in `server` after `delay`
    seconds, in both directions."""

    def __init__(self, folder, server, delay):
        folder.mkdir()
        self.path, self.server, self.delay = str(folder / ".s.PGSQL.5432"), str(server / ".s.PGSQL.5432"), delay
        listens = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self.run(listens)), daemon=True).start()
        listens.wait()

    async def run(self, listens):
        server = await asyncio.start_unix_server(self.serve, self.path)
        listens.set()
        await server.serve_forever()

    async def serve(self, reader, writer):
        there, back = await asyncio.open_unix_connection(self.server)
        await asyncio.gather(self.pass_on(reader, back), self.pass_on(there, writer))

    async def pass_on(self, reader, writer):
        loop = asyncio.get_running_loop()
        try:
            while data := await reader.read(1 << 16):
                loop.call_later(self.delay, writer.write, data)
        except OSError:
            pass
        loop.call_later(self.delay, writer.close)
