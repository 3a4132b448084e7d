import Foundation
import Support
import Testing
import Timeline

/// Every clip of real footage, rendered as a film of its own at the derived rate.
@Suite(.mayBlock) struct FrameRateFootageTests {
  /// How a film shows its only clip.
  struct Row {
    let file: String
    /// Frames per second of the film.
    let frameRate: RationalTime
    /// Frames per second of the clip; `nil` if its rate varies.
    let ownRate: RationalTime?
    /// The number of frames in the clip, and how many of them the film does not show.
    let frames: Int
    let lost: Int
    /// How many frames are repeated although the next one is due.
    let doubled: Int
    /// How many frames are not shown according to the program.
    let reportedLost: Int

    /// The cells of a Markdown table: the clip's rate, the film's rate, and the numbers of lost and doubled frames.
    var cells: String {
      "\(ownRate.map { "\($0)" } ?? "variable") | \(frameRate) | \(lost) | \(doubled)"
    }
  }

  /// The required parts of the output of `sheaf plan --json`.
  private struct Plan: Decodable {
    struct Segment: Decodable { let slices: [Slice] }
    struct Slice: Decodable { let layers: [Layer] }
    struct Layer: Decodable { let frames: [Run] }
    struct Run: Decodable {
      let time: Int64
      let step: Int64
      let count: Int
    }
    struct Report: Decodable {
      struct Source: Decodable { let frameRate: RationalTime? }
      struct Unshown: Decodable { let count: Int }
      let frameRate: RationalTime
      let fastest: Source?
      let unshown: [Unshown]
    }
    let segments: [Segment]
    let frameRate: Report
  }

  /// The files with video.
  static let files: [String] = {
    guard let folder = SharedMedia.folder else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { !$0.hasSuffix(".md") && $0 != "rails_audio_only.mp4" }.sorted()
  }()

  private static let longSounds: Set = ["mdn_friday_480p30.mp4"]

  /// The film of one clip.
  static func row(_ file: String) throws -> Row {
    let folder = try TemporaryDirectory()
    let project = """
      {"version": 1, "sequence": [{"clip": "\(SharedMedia.path(file))"}],
       "export": {"preset": "highestQuality"}}
      """
    try project.write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
    let probed = try json(MediaIndex.self, ["probe", SharedMedia.path(file), "--json"], folder)
    let plan = try json(Plan.self, ["plan", folder.path("cut.json"), "--json"], folder)
    let stream = try #require(probed.video.first)
    let runs = plan.segments.flatMap(\.slices).flatMap { $0.layers.prefix(1) }.flatMap(\.frames)
    let shown = runs.flatMap { run in (0..<run.count).map { run.time + run.step * Int64($0) } }
    let times = stream.frames.times
    let frame = try RationalTime(1) / plan.frameRate.frameRate
    let ends = Dictionary(uniqueKeysWithValues: zip(times, times.dropFirst() + [stream.frames.end]))
    var doubled = 0
    for (time, count) in Dictionary(shown.map { ($0, 1) }, uniquingKeysWith: +) {
      let length = try stream.timeBase * ((ends[time] ?? time) - time)
      // A frame that lasts for several output frames is shown that often.
      let due = max(try length.ticks(of: frame, rounding: .up), 1)
      doubled += max(count - Int(due), 0)
    }
    return Row(
      file: file, frameRate: plan.frameRate.frameRate,
      ownRate: plan.frameRate.fastest?.frameRate, frames: times.count,
      lost: Set(times).subtracting(shown).count, doubled: doubled,
      reportedLost: plan.frameRate.unshown.reduce(0) { $0 + $1.count })
  }

  private static func json<Value: Decodable>(
    _ type: Value.Type, _ arguments: [String], _ folder: TemporaryDirectory
  ) throws -> Value {
    let outcome = try Program.sheaf.run(arguments, in: folder.path)
    try #require(outcome.status == 0, "sheaf \(arguments[0]): \(outcome.standardError)")
    return try JSONDecoder().decode(type, from: Data(outcome.standardOutput.utf8))
  }

  @Test(.needsSharedMedia, arguments: Thoroughness.sample(files, every: 2))
  func `no frame of real footage is lost or doubled at a derived rate`(file: String) throws {
    let row = try Self.row(file)
    #expect(StandardRates.all.contains(row.frameRate), "\(row.frameRate)")
    #expect(row.lost == row.reportedLost)
    // This file has frames 5 ms apart, which no standard rate shows.
    if file != "mb_cursed-vfr.mp4" { #expect(row.lost == 0) }
    // Files whose sound lasts more than half a second longer repeat their last frame.
    if !Self.longSounds.contains(file) { #expect(row.doubled == 0) }
  }
}

/// The standard rates of DESIGN.md.
private enum StandardRates {
  static let all = [
    "24000/1001", "24", "25", "30000/1001", "30", "48", "50", "60000/1001", "60", "120",
  ].compactMap { try? RationalTime($0) }
}
