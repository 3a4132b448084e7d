import Arguments
import FarmAPI
import Timeline

/// The sources from which the operator allows recordings. There are none by default.
package struct AllowedRecordingSources: Sendable {
  /// A rule that allows sources.
  package enum Rule: Hashable, Sendable {
    /// Those with one transport, one host and a range of ports, whatever their path is.
    case addresses(RecordingSource.Transport, host: String, ports: ClosedRange<UInt16>)
    /// The playlists and segments at an origin.
    case playlists(AssetOrigin)
    /// A capture device of this host.
    case device(CaptureDevice)

    /// Reads a rule such as `udp://0.0.0.0:5000-5100`, `https://live.example.com` or `v4l2:///dev/video0`. Returns `nil`
    /// for other text.
    package init?(_ text: String) {
      let ends = text.split(separator: "-", omittingEmptySubsequences: false)
      if let origin = AssetOrigin(text) {
        self = .playlists(origin)
      } else if let device = CaptureDevice(text) {
        self = .device(device)
      } else if let source = RecordingSource(text), source.isAddress {
        self = .addresses(source.transport, host: source.host, ports: source.port...source.port)
      } else if let last = ends.last.flatMap({ UInt16($0) }),
        let source = RecordingSource(String(text.dropLast("\(last)".count + 1))),
        source.port <= last, source.isAddress
      {
        self = .addresses(source.transport, host: source.host, ports: source.port...last)
      } else {
        return nil
      }
    }

    func allows(_ source: RecordingSource) -> Bool {
      switch self {
      case .addresses(let transport, let host, let ports):
        source.transport == transport && source.host.lowercased() == host.lowercased()
          && ports.contains(source.port)
      case .playlists(let origin): source.playlist.map(origin.contains) ?? false
      case .device: false
      }
    }
  }

  /// The rules, one of which must allow a source.
  package var rules: [Rule] = []

  /// Allows no source.
  package init() {}

  private static let rule = Option<Rule>(
    "recording-source", value: "SOURCE", isRepeatable: true,
    expecting: "a source such as udp://0.0.0.0:5000-5100, \(RecordingSource.addresses), "
      + "https://live.example.com, v4l2:///dev/video0 or alsa://hw:1,0",
    help: "Allow recordings from SOURCE: udp://ADDRESS:PORT or udp://ADDRESS:PORT-PORT, "
      + "tcp-listen://ADDRESS:PORT, tcp://HOST:PORT, srt-listen://ADDRESS:PORT, "
      + "srt://HOST:PORT, rtmp-listen://ADDRESS:PORT, rtsp://HOST:PORT for all streams of a "
      + "server, https://HOST or http://HOST for the playlists of a host, or v4l2://PATH or "
      + "alsa://hw:CARD,DEVICE for a capture device of this host; may be repeated"
  ) { Rule($0) }

  /// The options of `serve` about sources of recordings.
  static let options = [rule.declaration]

  /// Reads the sources from the arguments of `serve`.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    rules = try arguments.values(Self.rule)
  }

  /// The reason why a source is refused; `nil` if it is allowed.
  package func refusal(of source: RecordingSource) -> String? {
    let missing = missing(for: source)
    guard !missing.isEmpty else { return nil }
    return "recording from \(source) is not allowed: ask the operator to start sheaf-coordinator "
      + "serve with \(missing.map { "--recording-source \($0)" }.joined(separator: " "))"
  }

  /// The addresses of a source that no rule allows.
  private func missing(for source: RecordingSource) -> [String] {
    switch source.transport {
    // An upload opens no address.
    case .upload: []
    case .devices:
      source.devices.filter { !rules.contains(.device($0)) }.map(\.description)
    default: rules.contains { $0.allows(source) } ? [] : [source.allowance]
    }
  }

  /// Whether a rule names an origin itself, instead of all hosts below a name.
  func names(_ origin: String) -> Bool {
    rules.contains {
      if case .playlists(let allowed) = $0 { allowed.description == origin } else { false }
    }
  }

  /// The reason why a playlist or a segment must not be downloaded; `nil` if it may be.
  func refusal(of url: AssetURL) -> String? {
    let isAllowed = rules.contains {
      if case .playlists(let origin) = $0 { origin.contains(url) } else { false }
    }
    guard !isAllowed else { return nil }
    return "downloading from \(url.origin) is not allowed: ask the operator to start "
      + "sheaf-coordinator serve with --recording-source \(url.origin)"
  }
}

extension RecordingSource {
  /// Whether it consists of a transport, a host and a port.
  fileprivate var isAddress: Bool { port > 0 && playlist == nil && path.isEmpty }
}
