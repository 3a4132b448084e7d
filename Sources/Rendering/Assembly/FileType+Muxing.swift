import Media
import Timeline

extension FileType {
  /// libavformat's name for the container.
  var muxer: String {
    switch self {
    case .mp4, .m4v: "mp4"
    case .mov: "mov"
    case .mkv: "matroska"
    case .webm: "webm"
    case .m4a: "ipod"
    }
  }

  /// The muxer's own options.
  var muxerOptions: [String: String] { self == .m4v ? ["brand": "M4V "] : [:] }

  /// The option that keeps room for the index at the front of the file.
  var indexRoomOption: String { isMatroska ? "reserve_index_space" : "moov_size" }
}

extension VideoSettings.Codec {
  /// Sets the codec tag that players expect: Apple's expect `hvc1` for H.265. ProRes keeps its tag, which names the
  /// profile.
  ///
  /// - Parameter hasOtherSets: whether packets contain parameter sets that the sample description lacks, which only the
  ///   tags `avc3` and `hev1` allow.
  func setTag(
    of parameters: StreamParameters, in fileType: FileType, hasOtherSets: Bool = false
  ) {
    switch self {
    case .prores: break
    case .hevc where !fileType.isMatroska:
      parameters.setCodecTag(hasOtherSets ? "hev1" : "hvc1")
    case .h264 where hasOtherSets && !fileType.isMatroska: parameters.setCodecTag("avc3")
    default: parameters.setCodecTag(nil)
    }
  }
}

extension Muxer {
  /// A date with its time of day, by default midnight, because libavformat drops a date without a time.
  private static func instant(_ date: String) -> String {
    date.contains("T") ? date : "\(date)T00:00:00Z"
  }

  /// Writes a file's metadata and chapters.
  ///
  /// - Parameter duration: the file's length in seconds, at which the last chapter ends.
  func describe(_ facts: AssemblyFacts, duration: RationalTime) throws {
    let metadata = facts.metadata ?? ExportMetadata()
    let texts = [
      ("title", metadata.title), ("artist", metadata.artist), ("copyright", metadata.copyright),
      ("creation_time", metadata.creationDate.map(Self.instant)),
    ]
    for (key, text) in texts {
      if let text { setMetadata(text, for: key) }
    }
    let microsecond = try RationalTime(1, 1_000_000)
    let end = try duration.ticks(of: microsecond, rounding: .nearest)
    var starts = try (facts.chapters ?? []).map {
      ($0.title, try $0.time.ticks(of: microsecond, rounding: .nearest))
    }
    starts.removeAll { $0.1 >= end }
    // In MP4 and QuickTime files, the chapters are a track, which begins at 0.
    if !facts.fileType.isMatroska, let first = starts.first, first.1 > 0 {
      starts.insert(("", 0), at: 0)
    }
    for (number, (title, start)) in starts.enumerated() {
      let next = number + 1 < starts.count ? starts[number + 1].1 : end
      try addChapter(title, from: start, to: next)
    }
  }
}
