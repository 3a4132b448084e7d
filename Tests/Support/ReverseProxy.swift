/// A real reverse proxy in front of a server on this host, for the duration of a test.
public final class ReverseProxy {
  /// The program and its configuration.
  public enum Kind: String, CaseIterable, Sendable {
    /// nginx, which forwards bodies without buffering and keeps connections to the server.
    case nginx
    /// haproxy, which shares connections to the server among clients.
    case haproxy
    /// haproxy, configured to forward malformed requests.
    case lenientHaproxy
  }

  private let program: LoopbackProgram

  /// The port on which it listens.
  public var port: UInt16 { program.port }

  /// Starts a proxy that answers paths starting with `forbidden` with 403, and forwards everything else to `server`.
  public init(_ kind: Kind, to server: UInt16, forbidding forbidden: String) throws {
    switch kind {
    case .nginx:
      program = try LoopbackProgram(nginx: { folder, port in
        ReverseProxy.nginx(folder, port, server, forbidden)
      })
    case .haproxy, .lenientHaproxy:
      program = try LoopbackProgram(haproxy: { address in
        ReverseProxy.haproxy(address, server, forbidden, isLenient: kind == .lenientHaproxy)
      })
    }
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
    _ address: String, _ server: UInt16, _ forbidden: String, isLenient: Bool
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
      bind \(address)
      \(isLenient ? "option accept-invalid-http-request" : "")
      http-request deny if { path_beg \(forbidden) }
      default_backend farm
    backend farm
      http-reuse always
      server farm 127.0.0.1:\(server)

    """
  }
}
