import Foundation

/// A reverse proxy that we did not write, in front of a server on this host, for the length of a test.
public final class ReverseProxy {
  /// Which program, and how it is set up.
  public enum Kind: String, CaseIterable, Sendable {
    /// nginx, which passes bodies on as they come and keeps connections to the server.
    case nginx
    /// haproxy, which shares connections to the server among clients.
    case haproxy
    /// haproxy, told to let malformed requests pass.
    case lenientHaproxy
  }

  /// The port on which it listens.
  public let port: UInt16
  private let process = Process()
  private let folder: TemporaryDirectory

  /// Starts a proxy that passes everything on to `server` except what begins with `forbidden`, which it answers with 403.
  public init(_ kind: Kind, to server: UInt16, forbidding forbidden: String) throws {
    folder = try TemporaryDirectory()
    // Free a moment ago: the programs cannot choose one and say which.
    port = try SilentPort().number
    let configuration = folder.path("configuration")
    let text =
      kind == .nginx
      ? Self.nginx(folder.path, port, server, forbidden)
      : Self.haproxy(port, server, forbidden, isLenient: kind == .lenientHaproxy)
    try text.write(toFile: configuration, atomically: true, encoding: .utf8)
    process.executableURL = URL(
      fileURLWithPath: "/usr/sbin/\(kind == .nginx ? "nginx" : "haproxy")")
    process.arguments =
      kind == .nginx
      ? ["-p", folder.path, "-c", configuration, "-e", folder.path("log")]
      : ["-db", "-f", configuration]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    while process.isRunning, (try? RawConnection(port: port)) == nil { usleep(20_000) }
    guard process.isRunning else { throw Stopped(kind: kind) }
  }

  /// The proxy ended when it should have begun.
  public struct Stopped: Error {
    /// Which one.
    public let kind: Kind
  }

  deinit {
    // The children of a test inherit its threads' signal mask, so that SIGTERM may not reach them.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private static func nginx(
    _ folder: String, _ port: UInt16, _ server: UInt16, _ forbidden: String
  ) -> String {
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: " ")
    return """
      daemon off; master_process off; pid \(folder)/pid;
      events { worker_connections 64; }
      http {
        access_log off; \(folders)
        upstream farm { server 127.0.0.1:\(server); keepalive 2; }
        server {
          listen 127.0.0.1:\(port);
          location / {
            proxy_pass http://farm; proxy_http_version 1.1; proxy_request_buffering off;
            proxy_set_header Connection ""; proxy_set_header Host $http_host;
          }
          location \(forbidden) { return 403; }
        }
      }
      """
  }

  private static func haproxy(
    _ port: UInt16, _ server: UInt16, _ forbidden: String, isLenient: Bool
  ) -> String {
    """
    global
      maxconn 64
    defaults
      mode http
      timeout connect 5s
      timeout client 10s
      timeout server 10s
    frontend clients
      bind 127.0.0.1:\(port)
      \(isLenient ? "option accept-invalid-http-request" : "")
      http-request deny if { path_beg \(forbidden) }
      default_backend farm
    backend farm
      http-reuse always
      server farm 127.0.0.1:\(server)

    """
  }
}
