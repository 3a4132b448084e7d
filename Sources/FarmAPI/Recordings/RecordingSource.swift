import Foundation
import Timeline

/// The source of a recording: an address at which the coordinator receives a live stream, an address that it connects
/// to, a playlist that it reads, capture devices of its host, or the submitter, who uploads the stream.
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
    /// A connection to a server, such as an IP camera, that sends its streams over RTSP.
    case rtsp = "rtsp"
    /// A playlist of HTTP Live Streaming, whose segments the coordinator downloads over TLS.
    case https = "https"
    /// A playlist of HTTP Live Streaming, whose segments the coordinator downloads.
    case http = "http"
    /// Capture devices of the coordinator's host.
    case devices = "devices"
    /// Requests in which the submitter uploads the stream. There is no address.
    case upload = "upload"

    /// Whether the coordinator opens the connection, so that the address is that of another host.
    public var connects: Bool { self == .tcp || self == .srt || self == .rtsp }
    /// Whether the connection is made over SRT.
    public var usesSRT: Bool { self == .srt || self == .srtListen }
    /// Whether the coordinator downloads the stream.
    public var isPulled: Bool { self == .https || self == .http }
    /// Whether both ends can share a passphrase.
    public var takesPassphrase: Bool { usesSRT || self == .rtmpListen || self == .rtsp }
    /// Whether addresses have a path.
    public var hasPath: Bool { self == .rtsp || isPulled }
    /// Whether addresses have a host and a port, and nothing else.
    var isHostAndPort: Bool { self != .upload && self != .devices && !hasPath }
  }

  /// A regular expression that the text of every source matches, for descriptions of the API. Some invalid text matches
  /// it too.
  public static let pattern: String = {
    let addressed = Transport.allCases.filter(\.isHostAndPort).map(\.rawValue)
    let pulled = Transport.allCases.filter(\.hasPath).map(\.rawValue)
    return "^(\(Transport.upload.rawValue)|(\(addressed.joined(separator: "|")))://.+:[0-9]+"
      + "|(\(pulled.joined(separator: "|")))://.+"
      + "|(\(CaptureDevice.videoScheme)|\(CaptureDevice.soundScheme))://.+)$"
  }()

  /// How the stream arrives.
  public let transport: Transport
  /// The address or host name, without brackets.
  public let host: String
  /// The port on which the coordinator receives the stream; if it opens the connection, the port of the server.
  public let port: UInt16
  /// The address of the playlist, if the stream is downloaded.
  public let playlist: AssetURL?
  /// The path and the query of the stream at an RTSP server, which begin with `/` or `?`; empty for other transports, and
  /// if there is none.
  public let path: String
  /// The capture devices: a video device, a sound card, or both in this order; empty for other transports.
  public let devices: [CaptureDevice]

  /// The port of RTSP if an address states none (RFC 2326, 3.2).
  private static let rtspPort: UInt16 = 554

  /// Creates a source.
  ///
  /// - Parameter host: an address or host name; an IPv6 address without brackets.
  public init(_ transport: Transport, host: String, port: UInt16) {
    self.transport = transport
    self.host = host
    self.port = port
    playlist = nil
    path = ""
    devices = []
  }

  /// Reads an address of an RTSP server. Returns `nil` for other text, and if it contains a fragment or an `@`.
  private init?(rtsp text: Substring) {
    let scheme = "\(Transport.rtsp.rawValue)://"
    guard text.hasPrefix(scheme), text.utf8.count <= AssetURL.byteLimit else { return nil }
    let rest = text.dropFirst(scheme.count)
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    let (authority, path) = (rest[..<end], rest[end...])
    // No spaces, quotes or control characters, because requests contain the address.
    let isAllowed = path.utf8.allSatisfy {
      (33..<127).contains($0) && !"\"#<>\\@".utf8.contains($0)
    }
    let hasPort = authority.hasSuffix("]") == false && authority.contains(":")
    guard isAllowed,
      let server = RecordingSource(
        "tcp://\(authority)\(hasPort ? "" : ":\(Self.rtspPort)")")
    else { return nil }
    transport = .rtsp
    (host, port) = (server.host, server.port)
    playlist = nil
    self.path = String(path)
    devices = []
  }

  /// Reads the addresses of a video device, a sound card, or both. Returns `nil` for other text.
  private init?(devices text: String) {
    let devices = text.split(separator: Self.deviceSeparator, omittingEmptySubsequences: false)
      .map { CaptureDevice(String($0)) }
    switch (devices.first, devices.count) {
    case (_, 1): break
    case (.video, 2): guard case .sound = devices[1] else { return nil }
    default: return nil
    }
    self.devices = devices.compactMap(\.self)
    guard self.devices.count == devices.count else { return nil }
    transport = .devices
    (host, port) = ("", 0)
    playlist = nil
    path = ""
  }

  /// The character between the addresses of two devices.
  private static let deviceSeparator: Character = "+"

  /// Creates a source that is downloaded. Returns `nil` if the address has no path or contains a query. A query may be
  /// secret, and everyone who sees the recording sees its source.
  private init?(_ playlist: AssetURL) {
    guard let transport = Transport(rawValue: playlist.scheme.rawValue),
      playlist.target != "/", !playlist.target.contains("?")
    else { return nil }
    self.transport = transport
    (host, port) = (playlist.host, playlist.port)
    self.playlist = playlist
    path = ""
    devices = []
  }

  /// The submitter as the source.
  public static let upload = RecordingSource(.upload, host: "", port: 0)

  /// Reads `upload`, or a source such as `udp://239.1.2.3:5000`, `tcp-listen://0.0.0.0:9000`, `tcp://[::1]:9000`,
  /// `srt://camera.local:9000`, `rtmp-listen://0.0.0.0:1935`, `rtsp://camera.local/stream1`,
  /// `https://live.example.com/a.m3u8` or `v4l2:///dev/video0+alsa://hw:1,0`. Returns `nil` for other text.
  public init?(_ text: String) {
    guard text != Self.upload.description else {
      self = .upload
      return
    }
    if let url = try? AssetURL(text), url.recording == nil {
      self.init(url)
      return
    }
    if text.hasPrefix("\(Transport.rtsp.rawValue)://") {
      self.init(rtsp: text[...])
      return
    }
    for scheme in [CaptureDevice.videoScheme, CaptureDevice.soundScheme]
    where text.hasPrefix("\(scheme):") {
      self.init(devices: text)
      return
    }
    guard let range = text.range(of: "://"),
      let transport = Transport(rawValue: String(text[..<range.lowerBound])),
      transport.isHostAndPort, let colon = text.lastIndex(of: ":"), colon > range.upperBound,
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
    + "srt-listen://0.0.0.0:9000, srt://camera.local:9000, rtmp-listen://0.0.0.0:1935, "
    + "rtsp://camera.local:554"

  /// Examples of sources, for messages.
  public static let examples =
    "\(addresses), https://live.example.com/a.m3u8 or v4l2:///dev/video0+alsa://hw:1,0"
}

extension RecordingSource: CustomStringConvertible {
  /// The source as ``init(_:)`` reads it.
  public var description: String {
    guard transport != .upload else { return transport.rawValue }
    if let playlist { return playlist.description }
    if transport == .devices {
      return devices.map(\.description).joined(separator: "\(Self.deviceSeparator)")
    }
    // The usual port is left out, as in the addresses that cameras state.
    return transport == .rtsp && port == Self.rtspPort
      ? "\(transport.rawValue)://\(bracketedHost)\(path)" : server + path
  }

  private var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

  /// The transport, the host and the port.
  private var server: String { "\(transport.rawValue)://\(bracketedHost):\(port)" }

  /// The address that an operator must allow: the origin of a playlist, the server of an RTSP stream, or the source
  /// itself.
  public var allowance: String {
    playlist?.origin ?? (transport == .upload || transport == .devices ? description : server)
  }

  /// Whether text is an address that may contain a user or a password, which no address may contain.
  ///
  /// Each `@` in an address of RTSP counts, because a password may contain `/` and `?`, and must not be repeated.
  public static func hasCredentials(_ text: String) -> Bool {
    guard let range = text.range(of: "://") else { return false }
    let rest = text[range.upperBound...]
    if text.lowercased().hasPrefix(Transport.rtsp.rawValue) { return rest.contains("@") }
    return rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.contains("@")
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
      // A password must not appear in messages and logs.
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: Self.hasCredentials(text)
          ? "a source must not contain a user or a password: send them as the passphrase, and write "
            + "an @ in a path as %40"
          : "'\(text)' is not a source: use upload, or an address such as \(Self.examples)")
    }
    self = source
  }
}
