"""HTTP/1.1 messages on sockets: heads as text, bodies as they arrive."""


class Closed(Exception):
    """The peer closed the connection or sent no HTTP."""


class Reader:
    """Buffered reads from a socket."""

    def __init__(self, sock):
        self.sock = sock
        self.buffer = b""

    def fill(self):
        try:
            piece = self.sock.recv(65536)
        except OSError as error:
            raise Closed(str(error)) from error
        if not piece:
            raise Closed("closed")
        self.buffer += piece

    def until(self, mark):
        while mark not in self.buffer:
            if len(self.buffer) > 1 << 20:
                raise Closed("the head exceeds 1 MiB")
            self.fill()
        head, self.buffer = self.buffer.split(mark, 1)
        return head

    def some(self, most):
        if not self.buffer:
            self.fill()
        piece, self.buffer = self.buffer[:most], self.buffer[most:]
        return piece

    def exactly(self, count):
        while len(self.buffer) < count:
            self.fill()
        piece, self.buffer = self.buffer[:count], self.buffer[count:]
        return piece


class Head:
    """A request's or response's first line and its header fields, in order."""

    def __init__(self, first, fields):
        self.first = first
        self.fields = fields

    @classmethod
    def read(cls, reader):
        lines = reader.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        return cls(lines[0], [tuple(line.split(": ", 1)) for line in lines[1:] if ": " in line])

    def __getitem__(self, name):
        return next((value for key, value in self.fields if key.lower() == name.lower()), None)

    def without(self, *names):
        names = {name.lower() for name in names}
        return Head(self.first, [field for field in self.fields if field[0].lower() not in names])

    def adding(self, name, value):
        return Head(self.first, self.fields + [(name, value)])

    def spoiled(self, names, source):
        """The head with one bit changed in the value of one of these fields, if it has any."""
        names = {name.lower() for name in names}
        places = [place for place, (name, value) in enumerate(self.fields) if name.lower() in names and value]
        if not places:
            return self
        place = source.choice(places)
        name, value = self.fields[place]
        at = source.randrange(len(value))
        # Only the lowest bit changes, so that the character stays visible.
        value = value[:at] + chr(ord(value[at]) ^ 1) + value[at + 1:]
        return Head(self.first, self.fields[:place] + [(name, value)] + self.fields[place + 1:])

    @property
    def bytes(self):
        lines = [self.first] + [f"{name}: {value}" for name, value in self.fields]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    @property
    def is_chunked(self):
        return (self["Transfer-Encoding"] or "").lower() == "chunked"

    @property
    def length(self):
        """The length of the body, or None if the head does not state it."""
        value = self["Content-Length"]
        return int(value) if value is not None and value.isdigit() else None


def body_pieces(reader, head, has_body_until_close):
    """The payload of the body, piece by piece, without the framing of a chunked one."""
    if head.is_chunked:
        while True:
            size = int(reader.until(b"\r\n").split(b";")[0], 16)
            if size == 0:
                while reader.until(b"\r\n"):
                    pass
                return
            while size:
                piece = reader.some(size)
                size -= len(piece)
                yield piece
            reader.exactly(2)
    elif head.length is not None:
        left = head.length
        while left:
            piece = reader.some(left)
            left -= len(piece)
            yield piece
    elif has_body_until_close:
        while True:
            try:
                yield reader.some(65536)
            except Closed:
                return


def send_piece(sock, head, piece):
    """Sends a piece of a body in the framing that the head announced."""
    if head.is_chunked:
        piece = b"%x\r\n%s\r\n" % (len(piece), piece)
    sock.sendall(piece)


def send_end(sock, head):
    """Ends a body."""
    if head.is_chunked:
        sock.sendall(b"0\r\n\r\n")
