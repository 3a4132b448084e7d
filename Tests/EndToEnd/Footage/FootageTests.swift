import Foundation
import Support
import Testing

/// Real footage, decoded from its start and from each of its keyframes with `sheaf probe --verify`.
///
/// With `SHEAF_FOOTAGE`, the suite checks all footage, and writes the table of results to the path in that variable
/// (`make footage`). Otherwise it checks a few short files.
@Suite(.mayBlock) struct FootageTests {
  /// Short files, each with another codec.
  private static let few = [
    "ax_av1_sample.mp4", "ax_bbb_avc_pyramid_3b_SAR.mp4", "ax_hlg10_hevc_1080p.mp4",
    "ax_sample_with_ass.mkv", "ax_vp9_10bit_23976.webm", "fc_prores422proxy.mov",
    "mdn_friday_480p30.mp4", "rails_audio_only.mp4",
  ]

  private struct Verified: Decodable {
    var kind: String
    var count: Int
    var starts: Int
    var compared: Int
    var differing: [Place]
    var damaged: [Place]

    struct Place: Decodable { var number: Int }
  }

  private static let table = ProcessInfo.processInfo.environment["SHEAF_FOOTAGE"]

  @Test(.needsSharedMedia)
  func `real footage decodes the same from every keyframe, and its sound to the sample`() throws {
    let files = try Self.table.map { _ in try Self.all() } ?? Self.few
    var rows: [String] = []
    for file in files {
      let outcome = try Program.sheaf.run(["probe", "--verify", "--json", SharedMedia.path(file)])
      let streams = try JSONDecoder().decode(
        [Verified].self, from: Data(outcome.standardOutput.utf8))
      #expect(!streams.isEmpty, "\(file)")
      for stream in streams {
        #expect(stream.differing.isEmpty, "\(file): \(stream.kind)")
        #expect(stream.compared > 0, "\(file): \(stream.kind)")
      }
      guard Self.table != nil else { continue }
      let hasPictures = FrameRateFootageTests.files.contains(file)
      let film = hasPictures ? try FrameRateFootageTests.row(file).cells : "— | — | — | —"
      rows.append(
        "| \(file) | \(Self.cell(streams, "video")) | \(Self.cell(streams, "audio")) | \(film) |")
    }
    guard let table = Self.table else { return }
    let text = """
      # Real footage

      ```
      sheaf probe --verify clip.mov    # decodes a file from its start and from each keyframe, and compares the results
      make footage                     # does this for every file in ../shared/media, and writes this page
      ```

      Frames and samples must be the same wherever decoding starts. Each file with video is also planned as the only clip of
      a project, at the frame rate that Sheaf derives. A frame is lost if the output never shows it, and doubled if the
      output still shows it when the next frame is due. The files are not part of the repository.

      | file | same frames from every keyframe | same sound | source rate, frames/s | output rate | lost | doubled |
      |---|---|---|---|---|---|---|
      \(rows.joined(separator: "\n"))

      """
    try text.write(toFile: table, atomically: true, encoding: .utf8)
  }

  /// Every file except the description.
  private static func all() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: SharedMedia.folder ?? "")
      .filter { !$0.hasSuffix(".md") }.sorted()
  }

  /// The results of the streams of a kind, as a phrase.
  private static func cell(_ streams: [Verified], _ kind: String) -> String {
    let cells = streams.filter { $0.kind == kind }.map { stream in
      var cell = stream.differing.isEmpty ? "yes" : "no, \(stream.differing.count) differ"
      if kind == "video" {
        cell +=
          ": \(stream.count) frames, \(stream.starts) keyframe\(stream.starts == 1 ? "" : "s")"
      }
      if !stream.damaged.isEmpty { cell += ", \(stream.damaged.count) damaged" }
      return cell
    }
    return cells.isEmpty ? "—" : cells.joined(separator: "; ")
  }
}
