import Foundation
import Synchronization

/// An HTTP proxy that applies faults to requests that a test selects, and forwards the others.
public final class FaultyProxy: Sendable {
  /// A fault that affects a request.
  public enum Fault: Hashable, Sendable {
    /// The request does not reach the server. The client receives this text instead.
    case answer(String)
    /// The request does not reach the server, and the connection closes.
    case swallow
    /// The server handles the request, but its response is lost.
    case loseAnswer
    /// The server receives the request with a text in its body replaced by another of the same length.
    case changeBody(String, String)
    /// Only this many bytes of the server's response arrive, including its head.
    case cutAnswer(after: Int)

    /// A response with a status, a media type and a body.
    public static func answer(
      _ status: Int, _ type: String = "text/html", _ body: String = "<html>no</html>",
      _ fields: String...
    ) -> Fault {
      .answer(
        (["HTTP/1.1 \(status) Whatever", "Content-Type: \(type)", "Connection: close"]
          + ["Content-Length: \(body.utf8.count)"] + fields + ["", body])
          .joined(separator: "\r\n"))
    }

    /// A response with a problem document.
    public static func problem(_ status: Int, _ type: String) -> Fault {
      .answer(
        status, "application/problem+json",
        #"{"type": "\#(type)", "title": "t", "status": \#(status), "detail": "told to fail"}"#)
    }
  }

  private let server: ScriptedServer
  private let target: Mutex<UInt16>
  private let seen: Mutex<[ScriptedRequest]>

  /// A proxy to a port of the loopback address.
  ///
  /// - Parameter fault: decides on the fault of each request. It is called on several threads.
  public init(
    to port: UInt16, _ fault: @escaping @Sendable (ScriptedRequest) -> Fault? = { _ in nil }
  ) throws {
    let box = Box()
    target = Mutex(port)
    seen = Mutex([])
    server = try ScriptedServer { box.proxy?.serve($0, fault) }
    box.set(self)
  }

  /// The proxy's state that its server's threads share.
  private final class Box: Sendable {
    private struct Reference: Sendable { weak var proxy: FaultyProxy? }
    private let reference = Mutex(Reference())
    var proxy: FaultyProxy? { reference.withLock { $0.proxy } }
    func set(_ proxy: FaultyProxy) { reference.withLock { $0.proxy = proxy } }
  }

  deinit { server.close() }

  /// The URL at which clients reach the proxy.
  public var origin: String { server.origin }

  /// The requests so far, in order of arrival.
  public var requests: [ScriptedRequest] { seen.withLock { $0 } }

  /// Sends requests to another port from now on.
  public func redirect(to port: UInt16) { target.withLock { $0 = port } }

  private func serve(
    _ connection: ScriptedConnection, _ fault: (ScriptedRequest) -> Fault?
  ) {
    guard let request = connection.request() else { return }
    seen.withLock { $0.append(request) }
    switch fault(request) {
    case nil: forward(request, limit: nil) { connection.send($0) }
    case .answer(let text): connection.send(text)
    case .swallow: break
    case .loseAnswer: forward(request, limit: nil) { _ in true }
    case .changeBody(let old, let new):
      var changed = request
      let text = String(decoding: request.body, as: UTF8.self)
      changed.body = Array(text.replacingOccurrences(of: old, with: new).utf8)
      forward(changed, limit: nil) { connection.send($0) }
    case .cutAnswer(let count): forward(request, limit: count) { connection.send($0) }
    }
  }

  private func forward(
    _ request: ScriptedRequest, limit: Int?, _ deliver: ([UInt8]) -> Bool
  ) {
    guard let upstream = try? ScriptedConnection(to: target.withLock { $0 }) else {
      if limit == nil {
        _ = deliver(Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".utf8))
      }
      return
    }
    // Without `Sheaf-File-Socket`, files are sent as to another host, so that faults can affect them.
    let dropped = ["connection:", "expect:", "sheaf-file-socket:"]
    let head = request.head.filter { line in
      !dropped.contains { line.lowercased().hasPrefix($0) }
    }
    let lines = head + ["Connection: close", "", ""]
    guard upstream.send(Array(lines.joined(separator: "\r\n").utf8) + request.body) else { return }
    var left = limit ?? .max
    while left > 0 {
      let bytes = upstream.receive()
      guard !bytes.isEmpty, deliver(Array(bytes.prefix(left))) else { return }
      left -= min(left, bytes.count)
    }
  }
}
