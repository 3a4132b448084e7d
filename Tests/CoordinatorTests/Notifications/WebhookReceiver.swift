import CoordinatorSupport
import FarmAPI
import Foundation
import Support
import sheaf_coordinator

/// A receiver of webhooks on the loopback address, written in Python, that verifies requests with
/// `examples/verify_webhook.py`: `/ok` accepts them, `/status/N` answers with N, `/redirect` with a redirection to
/// `/ok`, `/long` with 300,000 bytes, and `/slow` after ``release()``.
final class WebhookReceiver: Sendable {
  /// A request that arrived.
  struct Request: Codable {
    let path: String
    let headers: [String: String]
    let body: String
    let isVerified: Bool

    /// The notification in its body.
    func notification() throws -> JobNotification {
      try FarmCoding.decode(JobNotification.self, from: Data(body.utf8))
    }
  }

  static let secret = "0123456789abcdef-secret"
  private let folder: TemporaryDirectory
  private let process: Subprocess
  private let input: SubprocessPipe
  /// The server's URL, such as `http://127.0.0.1:8080`.
  let origin: String

  /// Starts a receiver.
  ///
  /// - Parameters:
  ///   - certificate: the file of the certificate and the key, for TLS.
  ///   - port: the port; 0 for any free port.
  init(certificate: (chain: String, key: String)? = nil, port: Int = 0) throws {
    folder = try TemporaryDirectory()
    process = Subprocess(
      Tool.python,
      [
        "-c", Self.script, folder.path, Self.examples, Self.secret, "\(port)",
        certificate?.chain ?? "", certificate?.key ?? "",
      ])
    let output = try SubprocessPipe()
    input = try SubprocessPipe()
    process.standardInput = .pipe(input)
    process.standardOutput = .pipe(output)
    try process.run()
    origin = String(decoding: output.reading.availableData, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  deinit { stop() }

  /// Ends the server.
  func stop() {
    try? input.writing.close()
    process.wait()
  }

  /// The port on which it listens.
  var port: Int { origin.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

  /// The requests so far, in order.
  func requests() throws -> [Request] {
    let path = folder.path("requests")
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
      try JSONDecoder().decode(Request.self, from: Data($0.utf8))
    }
  }

  /// Lets slow responses continue.
  func release() throws { try Data().write(to: URL(fileURLWithPath: folder.path("go"))) }

  /// The folder with the example.
  static let examples = String(
    URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
      + "/examples")

  private static let script = """
    import http.server, json, os, ssl, sys, threading, time
    folder, examples, secret, port, chain, key = sys.argv[1:7]
    sys.path.insert(0, examples)
    sys.dont_write_bytecode = True
    from verify_webhook import verify

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            # The tests move the farm's clock, but not this one.
            now = int(self.headers["Sheaf-Timestamp"])
            verified = verify(secret.encode(), self.headers, body, now)
            with lock, open(folder + "/requests", "a") as log:
                log.write(json.dumps({
                    "path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()},
                    "body": body.decode(), "isVerified": verified}) + "\\n")
            kind = self.path.split("/")[1].split("?")[0]
            limit = time.monotonic() + 60
            while kind == "slow" and not os.path.exists(folder + "/go"):
                if time.monotonic() > limit:
                    return
                time.sleep(0.01)
            status = {"redirect": 302, "status": 0, "long": 200}.get(kind, 204)
            self.send_response(status or int(self.path.split("/")[2]))
            if kind == "redirect":
                self.send_header("Location", "/ok")
            content = b"x" * (300000 if kind == "long" else 0)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments):
            pass

    lock = threading.Lock()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *arguments: None
    if chain:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    scheme = "https" if chain else "http"
    print("%s://127.0.0.1:%d" % (scheme, server.server_address[1]), flush=True)
    sys.stdin.read()
    """
}

extension NotificationSettings {
  /// Settings with the receivers' secret in a private file.
  static func signed(in directory: TemporaryDirectory) throws -> NotificationSettings {
    var settings = NotificationSettings()
    let path = directory.path("webhook.secret")
    _ = FileManager.default.createFile(
      atPath: path, contents: Data(WebhookReceiver.secret.utf8),
      attributes: [.posixPermissions: 0o600])
    settings.secretFile = path
    return settings
  }
}
