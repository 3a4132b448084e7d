/// An upper bound on the bytes of a file's index (`moov`), known before the first packet is.
///
/// Box sizes are those of ISO/IEC 14496-12, section 8: what grows with the file are the sample tables. Sample durations
/// are uniform, so that `stts` does not grow.
package enum MovieIndexBound {
  /// Boxes that do not grow: `mvhd`, two `trak` with their headers, edit lists, sample descriptions and handlers, and
  /// what is left over has to hold a `free` box. Far more than libavformat writes.
  private static let fixed = 8192
  /// A chapter: its sample in the track of their titles (`stts` 8, `stsz` 4, `stsc` 12, `co64` 8), and its entry in
  /// `chpl`, 9 and the title.
  private static let perChapter = 48
  /// `stsz` 4, `ctts` 8, `stss` 4, `sdtp` 1, and for the case of frames so large that each becomes a chunk of the
  /// container, `stsc` 12 and `co64` 8.
  private static let perFrame = 37
  /// `stsz` 4.
  private static let perAudioPacket = 4
  /// `stsc` 12 and `co64` 8.
  private static let perRun = 20
  /// libavformat ends a chunk of the container at 1 MiB; no two in a row together hold less.
  private static let containerChunk: Int64 = 1 << 19

  /// A bound for `frameCount` frames, and audio that is written in `audioRuns` runs.
  ///
  /// - Parameter textBytes: the bytes of metadata and of chapters' titles.
  package static func bytes(
    frameCount: Int, parameterSetBytes: Int, audioPackets: Int, audioRuns: Int, audioBytes: Int64,
    chapters: Int = 0, textBytes: Int = 0
  ) -> Int {
    let audioChunks = audioRuns + Int(audioBytes / containerChunk) + 1
    return fixed + perChapter * chapters + 2 * textBytes + 2 * parameterSetBytes + perFrame
      * frameCount + perAudioPacket * audioPackets
      + perRun * audioChunks
  }
}
