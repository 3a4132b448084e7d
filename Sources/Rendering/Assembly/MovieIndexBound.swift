/// An upper bound on the bytes of a file's index (`moov`), known before the first packet.
///
/// Box sizes follow ISO/IEC 14496-12, section 8. Only the sample tables grow with the file. Sample durations are
/// uniform, so `stts` does not grow.
package enum MovieIndexBound {
  /// Boxes that do not grow: `mvhd`, two `trak` with their headers, edit lists, sample descriptions and handlers. The
  /// remainder has to fit a `free` box. This is far more than libavformat writes.
  private static let fixed = 8192
  /// A chapter: its sample in the track of titles (`stts` 8, `stsz` 4, `stsc` 12, `co64` 8), and its entry in `chpl` (9
  /// and the title).
  private static let perChapter = 48
  /// `stsz` 4, `ctts` 8, `stss` 4, `sdtp` 1; in case frames are so large that each becomes a chunk of the
  /// container, also `stsc` 12 and `co64` 8.
  private static let perFrame = 37
  /// `stsz` 4.
  private static let perAudioPacket = 4
  /// `stsc` 12 and `co64` 8.
  private static let perRun = 20
  /// Half of 1 MiB: libavformat ends a chunk of the container at 1 MiB, so two consecutive ones together have at least
  /// that.
  private static let containerChunk: Int64 = 1 << 19

  /// A bound for `frameCount` frames, and audio that is written in `audioRuns` runs.
  ///
  /// - Parameter textBytes: the bytes of metadata and chapter titles.
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
