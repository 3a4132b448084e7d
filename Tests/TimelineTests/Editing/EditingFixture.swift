import Support
import Timeline

/// Assets to edit with, and a way to say what a track presents in few words.
enum EditingFixture {
  /// Ten seconds of picture and sound.
  static func beach() throws -> IndexedAsset {
    IndexedAsset(name: "beach", index: try .clip(seconds: RationalTime(10)))
  }

  /// Six seconds of picture.
  static func harbour() throws -> IndexedAsset {
    IndexedAsset(name: "harbour", index: try .clip(seconds: RationalTime(6), hasAudio: false))
  }

  /// Twenty seconds of sound.
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

  /// A video track that presents beach [0, 4), nothing for a second, and beach [4, 8).
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
  /// One line a segment, e.g. `beach [0, 4) at [1, 5)`.
  var shown: [String] {
    segments.map { segment in
      let (source, target) = (segment.source, segment.target)
      return "\(segment.asset) [\(source.start), \(source.end)) at [\(target.start), \(target.end))"
    }
  }
}
