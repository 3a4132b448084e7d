import Foundation
import Timeline

/// The source of a recording: an address at which the coordinator receives a live stream, an address that it connects
/// to, a playlist that it reads, or the submitter, who uploads the stream.
public struct RecordingSource: Hashable, Sendable {
  /// How the stream arrives.
  public enum Transport: String, Hashable, Sendable, CaseIterable {
    /// Datagrams to an address of the coordinator's host, or to a multicast group.
    case udp = "udp"
    /// A connection to a server that sends the stream.
    case tcp = "tcp"
    /// A connection that a sender opens to the coordinator.
    case tcpListen = "tcp-listen"
    /// A connection over SRT to a server that sends the stream.
    case srt = "srt"
    /// A connection over SRT that a sender opens to the coordinator.
    case srtListen = "srt-listen"
    /// A connection that a sender opens to the coordinator, over which it publishes by RTMP.
    case rtmpListen = "rtmp-listen"
    /// A playlist of HTTP Live Streaming, whose segments the coordinator downloads over TLS.
    case https = "https"
    /// A playlist of HTTP Live Streaming, whose segments the coordinator downloads.
    case http = "http"
    /// Requests in which the submitter uploads the stream. There is no address.
    case upload = "upload"

    /// Whether the coordinator opens the connection, so that the address is that of another host.
    public var connects: Bool { self == .tcp || self == .srt }
    /// Whether the connection is made over SRT.
    public var usesSRT: Bool { self == .srt || self == .srtListen }
    /// Whether the coordinator downloads the stream.
    public var isPulled: Bool { self == .https || self == .http }
    /// Whether both ends can share a passphrase.
    public var takesPassphrase: Bool { usesSRT || self == .rtmpListen }
  }

  /// A regular expression that the text of every source matches, for descriptions of the API. Some invalid text matches
  /// it too.
  public static let pattern: String = {
    let addressed = Transport.allCases.filter { $0 != .upload && !$0.isPulled }.map(\.rawValue)
    let pulled = Transport.allCases.filter(\.isPulled).map(\.rawValue)
    return "^(\(Transport.upload.rawValue)|(\(addressed.joined(separator: "|")))://.+:[0-9]+"
      + "|(\(pulled.joined(separator: "|")))://.+)$"
  }()

  /// How the stream arrives.
  public let transport: Transport
  /// The address or host name, without brackets.
  public let host: String
  /// The port on which the coordinator receives the stream; if it opens the connection, the port of the server.
  public let port: UInt16
  /// The address of the playlist, if the stream is downloaded.
  public let playlist: AssetURL?

  /// Creates a source.
  ///
  /// - Parameter host: an address or host name; an IPv6 address without brackets.
  public init(_ transport: Transport, host: String, port: UInt16) {
    self.transport = transport
    self.host = host
    self.port = port
    playlist = nil
  }

  /// Creates a source that is downloaded. Returns `nil` if the address has no path or contains a query. A query may be
  /// secret, and everyone who sees the recording sees its source.
  private init?(_ playlist: AssetURL) {
    guard let transport = Transport(rawValue: playlist.scheme.rawValue),
      playlist.target != "/", !playlist.target.contains("?")
    else { return nil }
    self.transport = transport
    (host, port) = (playlist.host, playlist.port)
    self.playlist = playlist
  }

  /// The submitter as the source.
  public static let upload = RecordingSource(.upload, host: "", port: 0)

  /// Reads `upload`, or a source such as `udp://239.1.2.3:5000`, `tcp-listen://0.0.0.0:9000`, `tcp://[::1]:9000`,
  /// `srt://camera.local:9000`, `rtmp-listen://0.0.0.0:1935` or `https://live.example.com/a.m3u8`. Returns `nil` for other
  /// text.
  public init?(_ text: String) {
    guard text != Self.upload.description else {
      self = .upload
      return
    }
    if let url = try? AssetURL(text), url.recording == nil {
      self.init(url)
      return
    }
    guard let range = text.range(of: "://"),
      let transport = Transport(rawValue: String(text[..<range.lowerBound])), transport != .upload,
      !transport.isPulled, let colon = text.lastIndex(of: ":"), colon > range.upperBound,
      let port = UInt16(text[text.index(after: colon)...]), port > 0
    else { return nil }
    var host = text[range.upperBound..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:%_")
    guard !host.isEmpty, host.allSatisfy(allowed.contains) else { return nil }
    self.init(transport, host: String(host), port: port)
  }
}

extension RecordingSource {
  /// Examples of addresses with a port, for messages.
  public static let addresses =
    "udp://239.1.2.3:5000, tcp-listen://0.0.0.0:9000, tcp://camera.local:9000, "
    + "srt-listen://0.0.0.0:9000, srt://camera.local:9000, rtmp-listen://0.0.0.0:1935"

  /// Examples of sources, for messages.
  public static let examples = "\(addresses) or https://live.example.com/a.m3u8"
}

extension RecordingSource: CustomStringConvertible {
  /// The source as ``init(_:)`` reads it.
  public var description: String {
    guard transport != .upload else { return transport.rawValue }
    if let playlist { return playlist.description }
    let host = host.contains(":") ? "[\(host)]" : host
    return "\(transport.rawValue)://\(host):\(port)"
  }
}

extension RecordingSource: Codable {
  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Decodes the text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let source = RecordingSource(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription:
          "'\(text)' is not a source: use upload, or an address such as \(Self.examples)")
    }
    self = source
  }
}
