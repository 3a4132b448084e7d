import Foundation
import Synchronization

/// A server that sends captured packets over RTSP, within the connection. Each connection gets the next capture, and is
/// closed after it; further ones get the last capture.
public final class RTSPServer: Sendable {
  /// Settings of a server.
  public struct Settings: Sendable {
    /// The user and the password that requests must have, as `user:password`; `nil` for none.
    public var credentials: String?
    /// The status with which requests of a method are answered.
    public var statuses: [String: String] = [:]
    /// Fields of the header of the answer to `PLAY`.
    public var fields: [String] = []
    /// Whether the connection stays open after the last packet.
    public var staysOpen = false
    /// Changes the bytes before they are sent.
    public var change: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    /// The settings of a plain server.
    public init() {}
  }

  private let server: ScriptedServer
  private let log: RequestLog

  private final class RequestLog: Sendable {
    let requests = Mutex<[ScriptedRequest]>([])
    let plays = Mutex(0)
  }

  /// Starts a server.
  public init(_ captures: [RTPCapture], _ settings: Settings = Settings()) throws {
    let log = RequestLog()
    self.log = log
    server = try ScriptedServer { connection in
      let sending = Mutex(())
      while let request = connection.request() {
        log.requests.withLock { $0.append(request) }
        let capture = captures[min(log.plays.withLock { $0 }, captures.count - 1)]
        let answer = Self.answer(to: request, capture, settings)
        guard sending.withLock({ _ in connection.send(settings.change(answer)) }) else { return }
        guard request.method == "PLAY", String(decoding: answer, as: UTF8.self).contains(" 200 ")
        else { continue }
        log.plays.withLock { $0 += 1 }
        for packet in capture.packets {
          let channel = UInt8(2 * packet.stream + (packet.isControl ? 1 : 0))
          let size = packet.bytes.count
          let frame = [0x24, channel, UInt8(size >> 8), UInt8(size & 0xFF)] + packet.bytes
          guard sending.withLock({ _ in connection.send(settings.change(frame)) }) else { return }
        }
        if !settings.staysOpen { return }
      }
    }
  }

  deinit { server.close() }

  /// The address of the server's streams.
  public var url: String { "rtsp://127.0.0.1:\(server.port)/camera?channel=1" }
  /// The server's address without a path.
  public var origin: String { "rtsp://127.0.0.1:\(server.port)" }
  /// The requests so far.
  public var requests: [ScriptedRequest] { log.requests.withLock { $0 } }

  private static func answer(
    to request: ScriptedRequest, _ capture: RTPCapture, _ settings: Settings
  ) -> [UInt8] {
    var status = settings.statuses[request.method] ?? "200 OK"
    var fields = ["CSeq: \(request.headers["cseq"] ?? "0")"]
    var body = ""
    let expected = settings.credentials.map { "Basic \(Data($0.utf8).base64EncodedString())" }
    if let expected, request.headers["authorization"] != expected {
      status = "401 Unauthorized"
      fields.append("WWW-Authenticate: Basic realm=\"camera\"")
    } else {
      switch request.method {
      case "OPTIONS":
        fields.append("Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER")
      case "DESCRIBE":
        fields.append("Content-Base: \(request.path)/")
        body = description(of: capture)
      case "SETUP":
        fields.append("Session: 17;timeout=4")
        fields.append("Transport: \(request.headers["transport"] ?? "")")
      case "PLAY": fields += settings.fields
      default: break
      }
    }
    fields.append("Content-Length: \(body.utf8.count)")
    let head = (["RTSP/1.0 \(status)"] + fields).joined(separator: "\r\n")
    return Array("\(head)\r\n\r\n\(body)".utf8)
  }

  /// The description with an address for each stream.
  private static func description(of capture: RTPCapture) -> String {
    var number = -1
    return capture.description.split { $0.isNewline }.drop { !$0.hasPrefix("v=") }.map { line in
      guard line.hasPrefix("m=") else { return "\(line)\r\n" }
      number += 1
      return "\(line)\r\na=control:track\(number)\r\n"
    }.joined()
  }
}
