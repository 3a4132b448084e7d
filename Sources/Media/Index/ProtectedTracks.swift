import CFFmpeg

/// Finds encrypted streams: tracks of QuickTime and MP4 (ISO/IEC 14496-12, 8.12, and Apple's FairPlay) and of Matroska,
/// and scrambled programs of MPEG-TS.
enum ProtectedTracks {
  private static let entries: Set = ["encv", "enca", "drmi", "drms"]

  /// The reasons why encrypted streams cannot be read, by stream index.
  static func read(
    from source: any ByteSource, of demuxer: Demuxer
  ) throws(MediaError) -> [Int: String] {
    switch demuxer.format {
    case "matroska,webm":
      return try MatroskaTracks(of: source, named: demuxer.name).encrypted
        .reduce(into: [:]) { $0[$1] = "is encrypted (ContentEncryption)" }
    case "mpegts":
      let scrambled = try ScrambledPackets.identifiers(in: source, named: demuxer.name)
      return demuxer.streams.reduce(into: [:]) { reasons, stream in
        guard let id = demuxer.context.pointee.streams[stream.index]?.pointee.id,
          scrambled.contains(Int(id))
        else { return }
        reasons[stream.index] = "is encrypted (scrambled transport packets)"
      }
    default:
      return try movie(source, named: demuxer.name)
    }
  }

  private static func movie(
    _ source: any ByteSource, named name: String
  ) throws(MediaError) -> [Int: String] {
    var reasons: [Int: String] = [:]
    for (track, boxes) in try SampleEntries(of: source, named: name).tracks.enumerated() {
      guard let entry = boxes.first(where: { entries.contains($0.type) }) else { continue }
      reasons[track] = "is encrypted (\(entry.type))"
    }
    return reasons
  }
}
