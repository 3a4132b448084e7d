/// Tracks of a QuickTime or MP4 file whose media are encrypted (ISO/IEC 14496-12, 8.12, and Apple's FairPlay).
enum ProtectedTracks {
  private static let entries: Set = ["encv", "enca", "drmi", "drms"]

  /// The reasons why encrypted streams cannot be read, by stream index.
  static func read(
    from source: any ByteSource, named name: String
  ) throws(MediaError) -> [Int: String] {
    var reasons: [Int: String] = [:]
    for (track, boxes) in try SampleEntries(of: source, named: name).tracks.enumerated() {
      guard let entry = boxes.first(where: { entries.contains($0.type) }) else { continue }
      reasons[track] = "is encrypted (\(entry.type))"
    }
    return reasons
  }
}
