import Timeline

/// The playlist of a film that grows, for players of HTTP Live Streaming (RFC 8216, type `EVENT`).
///
/// Addresses are relative to the playlist's own.
public struct EventPlaylist: Hashable, Sendable {
  /// The playlist's media type (RFC 8216, 4).
  public static let mediaType = "application/vnd.apple.mpegurl"
  /// The version that allows fragmented MP4 with a header of its own (RFC 8216, 7).
  private static let version = 7

  /// A fragment of MP4.
  public struct Piece: Hashable, Sendable {
    /// The address of the header that it needs.
    public var header: String
    /// Its own address.
    public var address: String
    /// Its length in seconds.
    public var duration: RationalTime
    /// Whether its times restart at zero.
    public var isDiscontinuous: Bool

    /// Creates a piece.
    public init(
      header: String, address: String, duration: RationalTime, isDiscontinuous: Bool = false
    ) {
      self.header = header
      self.address = address
      self.duration = duration
      self.isDiscontinuous = isDiscontinuous
    }
  }

  /// A fragment of a recording, and the part that it belongs to.
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

  private let pieces: [Piece]
  /// An upper bound on the rounded length of each piece, in whole seconds (RFC 8216, 4.3.3.1).
  private let targetDuration: Int64
  /// Whether each piece can be decoded alone.
  private let areIndependent: Bool
  /// Whether players begin at its start instead of near its end.
  private let beginsAtStart: Bool
  /// Whether no more pieces follow.
  public let hasEnded: Bool

  /// Creates a playlist.
  ///
  /// - Parameters:
  ///   - pieces: the pieces, in order.
  ///   - targetDuration: an upper bound on their rounded lengths, in whole seconds. RFC 8216 requires it to stay the same
  ///     while the playlist grows; playlists of recordings do not guarantee this.
  ///   - areIndependent: whether each piece can be decoded alone.
  ///   - beginsAtStart: whether players begin at its start instead of near its end.
  ///   - hasEnded: whether no more follow.
  public init(
    _ pieces: [Piece], targetDuration: Int64, areIndependent: Bool, beginsAtStart: Bool = false,
    hasEnded: Bool
  ) {
    self.pieces = pieces
    self.targetDuration = targetDuration
    self.areIndependent = areIndependent
    self.beginsAtStart = beginsAtStart
    self.hasEnded = hasEnded
  }

  /// Creates the playlist of a recording, with addresses such as `parts/1/header.mp4` and `parts/1/00000001.m4s`. Each
  /// part after the first begins with a discontinuity, because its times start again at zero.
  ///
  /// - Parameters:
  ///   - entries: the fragments, in order.
  ///   - hasEnded: whether no more follow.
  public init(_ entries: [Entry], hasEnded: Bool) {
    let pieces = entries.enumerated().map { index, entry in
      let before = index == 0 ? nil : entries[index - 1]
      let beginsPart = before?.part != entry.part
      // Includes the gap before the fragment, so that the durations add up to the times in the fragments.
      let start = beginsPart ? entry.fragment.start : before?.fragment.end ?? .zero
      return Piece(
        header: "parts/\(entry.part)/\(RecordedFragment.headerName)",
        address: "parts/\(entry.part)/\(entry.fragment.fileName)",
        duration: max((try? entry.fragment.end - start) ?? .zero, .zero),
        isDiscontinuous: beginsPart && index > 0)
    }
    self.init(
      pieces, targetDuration: max(1, pieces.map(\.duration.roundedSeconds).max() ?? 1),
      areIndependent: true, hasEnded: hasEnded)
  }

  /// The number of pieces.
  public var count: Int { pieces.count }
  /// Whether there are no pieces.
  public var isEmpty: Bool { pieces.isEmpty }

  /// The playlist's text.
  public var text: String {
    var lines = [
      "#EXTM3U", "#EXT-X-VERSION:\(Self.version)", "#EXT-X-TARGETDURATION:\(targetDuration)",
      "#EXT-X-PLAYLIST-TYPE:EVENT",
    ]
    if beginsAtStart { lines.append("#EXT-X-START:TIME-OFFSET=0,PRECISE=YES") }
    if areIndependent { lines.append("#EXT-X-INDEPENDENT-SEGMENTS") }
    var header: String?
    for piece in pieces {
      if piece.isDiscontinuous { lines.append("#EXT-X-DISCONTINUITY") }
      if piece.header != header { lines.append("#EXT-X-MAP:URI=\"\(piece.header)\"") }
      header = piece.header
      lines.append("#EXTINF:\(piece.duration.sixDecimals),")
      lines.append(piece.address)
    }
    if hasEnded { lines.append("#EXT-X-ENDLIST") }
    return lines.joined(separator: "\n") + "\n"
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
