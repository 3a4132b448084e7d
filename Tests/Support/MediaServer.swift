import Foundation

/// A web server on the loopback address, written in Python, that serves one file in many ways: `/file` whole,
/// `/chunked` without a length, `/endless` without an end, `/truncated` only the first half, `/stalled` in two halves,
/// of which the second waits for ``release()``, `/busy` on the second request, `/large` and `/overflow` with too many
/// bytes, `/redirect` as a redirection, and `/status/N` as an error. The rest of the path is ignored.
public final class MediaServer: Sendable {
  private let folder: TemporaryDirectory
  private let process: Subprocess
  private let input: SubprocessPipe
  /// The server's URL, e.g. `http://127.0.0.1:8080`.
  public let origin: String

  /// Serves `bytes` on `port`, or on any free port.
  public init(_ bytes: Data, address: String = "127.0.0.1", port: Int = 0) throws {
    folder = try TemporaryDirectory()
    try bytes.write(to: URL(fileURLWithPath: folder.path("file")))
    process = Subprocess(
      Tool.python, ["-c", Self.script, folder.path, address, "\(port)"])
    let output = try SubprocessPipe()
    input = try SubprocessPipe()
    process.standardInput = .pipe(input)
    process.standardOutput = .pipe(output)
    try process.run()
    let line = output.reading.availableData
    origin = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  deinit {
    // The server exits when its standard input ends.
    try? input.writing.close()
    process.wait()
  }

  /// The port on which it listens.
  public var port: Int { origin.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

  /// The paths requested so far, in order.
  public var requests: [String] {
    let text = (try? String(contentsOfFile: folder.path("requests"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  /// Replaces the file's bytes.
  public func replace(by bytes: Data) throws {
    try bytes.write(to: URL(fileURLWithPath: folder.path("file")), options: .atomic)
  }

  /// Lets stalled responses continue.
  public func release() throws {
    try Data().write(to: URL(fileURLWithPath: folder.path("go")))
  }

  private static let script = """
    import http.server, os, sys, threading, time
    folder, address, port = sys.argv[1], sys.argv[2], int(sys.argv[3])

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            with open(folder + "/requests", "a") as log:
                log.write(self.path + "\\n")
            kind = self.path.split("/")[1].split("?")[0]
            data = open(folder + "/file", "rb").read()
            self.close_connection = True
            count = len([p for p in open(folder + "/requests")])
            if kind == "redirect":
                self.send_response(302)
                self.send_header("Location", "http://%s:%d/file?key=secret" % server.server_address)
                return self.finish_head(0)
            if kind == "status" or (kind == "busy" and count == 1):
                self.send_response(int(self.path.split("/")[2][:3]) if kind == "status" else 503)
                return self.finish_head(0)
            self.send_response(200)
            if kind == "chunked":
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for byte in range(0, len(data), 1000):
                    piece = data[byte:byte + 1000]
                    self.wfile.write(b"%x\\r\\n%s\\r\\n" % (len(piece), piece))
                return self.wfile.write(b"0\\r\\n\\r\\n")
            if kind == "endless":
                self.end_headers()
                return self.wfile.write(data)
            if kind == "overflow":
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                while True:
                    self.wfile.write(b"%x\\r\\n%s\\r\\n" % (1000, bytes(1000)))
            self.finish_head(1 << 60 if kind == "large" else len(data))
            half = len(data) // 2
            self.wfile.write(data[:half])
            if kind == "truncated":
                return
            limit = time.monotonic() + 120
            while kind == "stalled" and not os.path.exists(folder + "/go"):
                if time.monotonic() > limit:
                    return
                time.sleep(0.01)
            self.wfile.write(data[half:])

        def finish_head(self, length):
            self.send_header("Content-Length", str(length))
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer((address, port), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *arguments: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("http://%s:%d" % server.server_address, flush=True)
    sys.stdin.read()
    """
}
