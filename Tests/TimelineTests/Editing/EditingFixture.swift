import Support
import Timeline

/// Assets for edits, and a compact description of tracks.
enum EditingFixture {
  /// Ten seconds of video and audio.
  static func beach() throws -> IndexedAsset {
    IndexedAsset(name: "beach", index: try .clip(seconds: RationalTime(10)))
  }

  /// Six seconds of video.
  static func harbor() throws -> IndexedAsset {
    IndexedAsset(name: "harbor", index: try .clip(seconds: RationalTime(6), hasAudio: false))
  }

  /// Twenty seconds of audio.
  static var song: IndexedAsset {
    IndexedAsset(name: "song", index: .sound(seconds: RationalTime(20)))
  }

  /// A still image.
  static var logo: IndexedAsset {
    IndexedAsset(name: "logo", index: .stillImage(size: PixelSize(width: 640, height: 480)))
  }

  /// The range between two times, e.g. `("0", "5/2")`.
  static func range(_ start: String, _ end: String) throws -> TimeRange {
    try TimeRange(start: RationalTime(start), end: RationalTime(end))
  }

  /// A video track that presents beach [0, 4), a gap of one second, and beach [4, 8).
  static func track() throws -> Track {
    let video = try beach().track(mediaType: .video)
    var track = Track(id: 1, mediaType: .video)
    try track.insertTimeRanges([
      .media(range("0", "4"), of: video), .empty(duration: RationalTime(1)),
      .media(range("4", "8"), of: video),
    ])
    return track
  }
}

extension Track {
  /// One line per segment, e.g. `beach [0, 4) at [1, 5)`.
  var shown: [String] {
    segments.map { segment in
      let (source, target) = (segment.source, segment.target)
      return "\(segment.asset) [\(source.start), \(source.end)) at [\(target.start), \(target.end))"
    }
  }
}
