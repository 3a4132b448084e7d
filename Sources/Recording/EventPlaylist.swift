import Timeline

/// The playlist of a growing recording for players of HTTP Live Streaming (RFC 8216, type `EVENT`).
///
/// Addresses are relative to the playlist's own: `parts/1/header.mp4` and `parts/1/00000001.m4s`. Each part after the
/// first begins with a discontinuity, because its times start again at zero.
public struct EventPlaylist: Hashable, Sendable {
  /// The playlist's media type (RFC 8216, 4).
  public static let mediaType = "application/vnd.apple.mpegurl"
  /// The version that allows fragmented MP4 with a header of its own (RFC 8216, 7).
  private static let version = 7

  /// A fragment and the part that it belongs to.
  public struct Entry: Hashable, Sendable {
    /// The number of the part.
    public var part: Int
    /// The fragment.
    public var fragment: RecordedFragment

    /// Creates an entry.
    public init(part: Int, fragment: RecordedFragment) {
      self.part = part
      self.fragment = fragment
    }
  }

  private let entries: [Entry]
  /// Whether no more fragments follow.
  private let hasEnded: Bool

  /// Creates a playlist.
  ///
  /// - Parameters:
  ///   - entries: the fragments, in order.
  ///   - hasEnded: whether no more follow.
  public init(_ entries: [Entry], hasEnded: Bool) {
    self.entries = entries
    self.hasEnded = hasEnded
  }

  /// The playlist's text.
  public var text: String {
    var lines = [
      "#EXTM3U", "#EXT-X-VERSION:\(Self.version)", "#EXT-X-TARGETDURATION:\(targetDuration)",
      "#EXT-X-PLAYLIST-TYPE:EVENT", "#EXT-X-INDEPENDENT-SEGMENTS",
    ]
    for (index, entry) in entries.enumerated() {
      let folder = "parts/\(entry.part)"
      if beginsPart(index) {
        if index > 0 { lines.append("#EXT-X-DISCONTINUITY") }
        lines.append("#EXT-X-MAP:URI=\"\(folder)/\(RecordedFragment.headerName)\"")
      }
      lines.append("#EXTINF:\(duration(at: index).sixDecimals),")
      lines.append("\(folder)/\(entry.fragment.fileName)")
    }
    if hasEnded { lines.append("#EXT-X-ENDLIST") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The duration of a fragment and of the gap before it, so that the durations add up to the times in the fragments.
  private func duration(at index: Int) -> RationalTime {
    let fragment = entries[index].fragment
    let start = beginsPart(index) ? fragment.start : entries[index - 1].fragment.end
    return max((try? fragment.end - start) ?? .zero, .zero)
  }

  private func beginsPart(_ index: Int) -> Bool {
    index == 0 || entries[index - 1].part != entries[index].part
  }

  /// The longest duration in whole seconds, as players expect it (RFC 8216, 4.3.3.1).
  private var targetDuration: Int64 {
    max(1, entries.indices.map { duration(at: $0).roundedSeconds }.max() ?? 1)
  }
}

extension RationalTime {
  /// The seconds, rounded to the nearest number of microseconds.
  fileprivate var sixDecimals: String {
    let micros = (try? ticks(of: RationalTime(1, 1_000_000), rounding: .nearest)) ?? 0
    let rest = String(micros % 1_000_000)
    return "\(micros / 1_000_000)." + String(repeating: "0", count: 6 - rest.count) + rest
  }

  /// The nearest number of whole seconds.
  fileprivate var roundedSeconds: Int64 {
    (try? ticks(of: RationalTime(1), rounding: .nearest)) ?? 0
  }
}
