/// A playlist of HTTP Live Streaming (RFC 8216) from which a recording is pulled.
public enum PulledPlaylist: Hashable, Sendable {
  /// A choice between variants of a stream.
  case variants([Variant])
  /// The segments of one variant.
  case media(Media)

  /// A variant of a stream.
  public struct Variant: Hashable, Sendable {
    /// The address of its playlist, relative to that of this one.
    public var address: String
    /// Its peak rate in bits per second.
    public var bandwidth: Int
    /// Whether its sound is in another playlist.
    public var hasSoundElsewhere: Bool
  }

  /// The segments that a server offers at the moment.
  public struct Media: Hashable, Sendable {
    /// Creates a list of segments.
    public init(
      targetDuration: Int, segments: [Segment], hasEnded: Bool, keepsSegments: Bool
    ) {
      self.targetDuration = targetDuration
      self.segments = segments
      self.hasEnded = hasEnded
      self.keepsSegments = keepsSegments
    }

    /// The maximum length of a segment, in whole seconds.
    public var targetDuration: Int
    /// The segments, in order.
    public var segments: [Segment]
    /// Whether no more follow.
    public var hasEnded: Bool
    /// Whether segments stay in the playlist, so that it begins at the start of the stream.
    public var keepsSegments: Bool
  }

  /// A segment of MPEG-TS.
  public struct Segment: Hashable, Sendable {
    /// Creates a segment.
    public init(number: Int, address: String, isDiscontinuous: Bool) {
      self.number = number
      self.address = address
      self.isDiscontinuous = isDiscontinuous
    }

    /// Its number in the stream.
    public var number: Int
    /// Its address, relative to that of the playlist.
    public var address: String
    /// Whether its clock or its format may differ from those before it.
    public var isDiscontinuous: Bool
  }

  /// The reason why a playlist cannot be recorded.
  public struct Problem: Error, Hashable, Sendable {
    /// The problem, as a sentence without a period.
    public let text: String
  }

  /// The maximum size of a playlist in bytes.
  public static let byteLimit = 1 << 20
  /// The maximum number of lines that are read.
  private static let lineLimit = 100_000

  /// Reads a playlist.
  ///
  /// - Throws: ``Problem``.
  public init(_ text: String) throws(Problem) {
    let lines = text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline)
    guard lines.first?.hasPrefix("#EXTM3U") == true else {
      throw Problem(text: "this is not an HLS playlist")
    }
    guard lines.count <= Self.lineLimit else {
      throw Problem(text: "the playlist has more than \(Self.lineLimit) lines")
    }
    if lines.contains(where: { $0.hasPrefix("#EXT-X-STREAM-INF:") }) {
      self = .variants(try Self.variants(lines))
    } else {
      self = .media(try Self.media(lines))
    }
  }

  private static func variants(_ lines: [Substring]) throws(Problem) -> [Variant] {
    var variants: [Variant] = []
    var attributes: [String: String]?
    // The groups of sound that have a playlist of their own.
    var groups: Set<String> = []
    for line in lines {
      if let text = value(of: "EXT-X-MEDIA", in: line) {
        let media = Self.attributes(text)
        if media["TYPE"] == "AUDIO", media["URI"] != nil { groups.insert(media["GROUP-ID"] ?? "") }
      } else if let text = value(of: "EXT-X-STREAM-INF", in: line) {
        attributes = Self.attributes(text)
      } else if !line.hasPrefix("#"), let found = attributes {
        variants.append(
          Variant(
            address: trimmed(line), bandwidth: found["BANDWIDTH"].flatMap { Int($0) } ?? 0,
            hasSoundElsewhere: found["AUDIO"].map(groups.contains) ?? false))
        attributes = nil
      }
    }
    guard !variants.isEmpty else { throw Problem(text: "the playlist has no variants") }
    return variants
  }

  private static func media(_ lines: [Substring]) throws(Problem) -> Media {
    var media = Media(targetDuration: 0, segments: [], hasEnded: false, keepsSegments: false)
    var (number, isDiscontinuous) = (0, false)
    for line in lines {
      if let text = value(of: "EXT-X-TARGETDURATION", in: line) {
        media.targetDuration = Int(text).map { min(max($0, 1), 3600) } ?? 0
      } else if let text = value(of: "EXT-X-MEDIA-SEQUENCE", in: line) {
        guard let first = Int(text), (0...(1 << 60)).contains(first), media.segments.isEmpty else {
          throw Problem(text: "#EXT-X-MEDIA-SEQUENCE is invalid")
        }
        number = first
      } else if let text = value(of: "EXT-X-KEY", in: line) {
        guard attributes(text)["METHOD"] == "NONE" else {
          throw Problem(text: "its segments are encrypted, which is not supported")
        }
      } else if line.hasPrefix("#EXT-X-MAP:") {
        throw Problem(text: "its segments are fragmented MP4: only MPEG-TS is supported")
      } else if line.hasPrefix("#EXT-X-BYTERANGE:") {
        throw Problem(text: "byte-range segments are not supported")
      } else if trimmed(line) == "#EXT-X-DISCONTINUITY" {
        isDiscontinuous = true
      } else if trimmed(line) == "#EXT-X-ENDLIST" {
        media.hasEnded = true
      } else if let text = value(of: "EXT-X-PLAYLIST-TYPE", in: line) {
        media.keepsSegments = ["EVENT", "VOD"].contains(text)
      } else if !line.hasPrefix("#") {
        media.segments.append(
          Segment(number: number, address: trimmed(line), isDiscontinuous: isDiscontinuous))
        number += 1
        isDiscontinuous = false
      }
    }
    guard media.targetDuration > 0 else {
      throw Problem(text: "#EXT-X-TARGETDURATION is missing or invalid")
    }
    return media
  }

  /// The rest of a line that begins with a tag and a colon; `nil` for other lines.
  private static func value(of tag: String, in line: Substring) -> String? {
    line.hasPrefix("#\(tag):") ? trimmed(line.dropFirst(tag.count + 2)) : nil
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }

  /// The attributes of a tag, without the quotes of their values (RFC 8216, 4.2).
  static func attributes(_ text: String) -> [String: String] {
    var (attributes, name, value) = ([String: String](), "", "")
    var (isName, isQuoted) = (true, false)
    for character in text + "," {
      switch character {
      case "\"": isQuoted.toggle()
      case "=" where isName && !isQuoted: isName = false
      case "," where !isQuoted:
        if !isName { attributes[trimmed(name[...])] = value }
        (name, value, isName) = ("", "", true)
      default: if isName { name.append(character) } else { value.append(character) }
      }
    }
    return attributes
  }
}

/// Chooses the next segments of a playlist that is reloaded.
public struct PlaylistCursor: Hashable, Sendable {
  /// The number of the last segment that was taken; `nil` before the first one.
  private var last: Int?
  /// The number of segments before the end of a live playlist at which the recording begins. Players begin there too
  /// (RFC 8216, 6.3.3).
  private static let distance = 3
  /// Whether the segments that are in the playlist at first are skipped.
  private var skipsOffered: Bool
  /// The number of playlists in a row that end before the last segment that was taken.
  private var staleCount = 0
  /// The number of such playlists after which the server counts as restarted. A cache may offer a few old ones.
  private static let mostStale = 5

  /// Creates a cursor before the first segment.
  ///
  /// - Parameter skipsOffered: whether the segments that are in the playlist at first are skipped.
  public init(skipsOffered: Bool = false) { self.skipsOffered = skipsOffered }

  /// Notes the playlist that was read. Call this before ``next(in:)``.
  public mutating func begin(with media: PulledPlaylist.Media) {
    guard let newest = media.segments.last else { return }
    if skipsOffered { (skipsOffered, last) = (false, newest.number) }
    staleCount = last.map { newest.number < $0 } == true ? staleCount + 1 : 0
  }

  /// A segment to take.
  public struct Next: Hashable, Sendable {
    /// The segment.
    public var segment: PulledPlaylist.Segment
    /// Whether it does not continue the one that was taken before it.
    public var isDiscontinuous: Bool
    /// Whether segments between them are no longer offered.
    public var isAfterGap: Bool
  }

  /// The next segment of a playlist as it is now; `nil` if there is none yet.
  public func next(in media: PulledPlaylist.Media) -> Next? {
    guard let first = media.segments.first, let newest = media.segments.last else { return nil }
    guard let last else {
      let isWhole = media.hasEnded || media.keepsSegments
      let live = media.segments.suffix(Self.distance).first ?? first
      return Next(segment: isWhole ? first : live, isDiscontinuous: true, isAfterGap: false)
    }
    if newest.number < last {
      // The server restarted its numbering, unless the playlist is an old one.
      return staleCount >= Self.mostStale
        ? Next(segment: first, isDiscontinuous: true, isAfterGap: true) : nil
    }
    guard let segment = media.segments.first(where: { $0.number > last }) else { return nil }
    let isAfterGap = segment.number > last + 1
    return Next(
      segment: segment, isDiscontinuous: segment.isDiscontinuous || isAfterGap,
      isAfterGap: isAfterGap)
  }

  /// Notes that a segment was taken.
  public mutating func take(_ segment: PulledPlaylist.Segment) { last = segment.number }
}
