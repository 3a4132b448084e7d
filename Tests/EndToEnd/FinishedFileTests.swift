import Crypto
import Foundation
import Support
import Testing

/// The finished file as a whole: identical bytes on every farm, and a valid structure.
@Suite(.mayBlock) struct FinishedFileTests {
  static let clips: [(name: String, rate: String)] = [("a", "30"), ("b", "25"), ("c", "30")]

  /// Three clips with sound, and a sequence of them.
  static func project(in folder: TemporaryDirectory, fileType: String = "mp4") throws -> String {
    for (index, clip) in clips.enumerated() {
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=\(clip.rate)",
          "-f", "lavfi", "-i", "sine=frequency=\(300 + 100 * index):sample_rate=48000", "-t", "3",
          "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac",
          folder.path("\(clip.name).mp4"),
        ])
    }
    return """
      {"version": 1, "sequence": [
        {"clip": "a.mp4"}, {"transition": "dissolve", "duration": 1},
        {"clip": "b.mp4"}, {"transition": "push", "duration": "1/2", "direction": "left"},
        {"clip": "c.mp4", "in": "1/2", "out": "5/2"}],
       "export": {"fileType": "\(fileType)",
         "video": {"codec": "h264", "crf": 23, "encoderPreset": "veryfast"}}}
      """
  }

  @Test func `the file is the same for any number of workers and slots`() throws {
    let folder = try TemporaryDirectory()
    let project = try Self.project(in: folder)
    var digests: [String: Digest] = [:]
    for (workers, slots) in [(1, 1), (2, 1), (5, 1), (1, 3), (2, 2)] {
      let file = try Rendered(
        project: project, in: folder, workers: workers, slots: slots,
        output: "out-\(workers)-\(slots).mp4")
      digests["\(workers) workers of \(slots) slots"] = try file.digest
    }
    #expect(Set(digests.values).count == 1, "\(digests)")
  }

  @Test(arguments: ["mp4", "mov"])
  func `packets are evenly spaced, in order, and decode without errors`(
    fileType: String
  ) throws {
    let folder = try TemporaryDirectory()
    let file = try Rendered(
      project: try Self.project(in: folder, fileType: fileType), in: folder,
      output: "out.\(fileType)")
    let packets = try file.videoPackets()
    // 3 + 3 + 2 seconds, minus transitions of 1 and 1/2 s, at 30 frames per second.
    #expect(packets.count == 195)
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $0.dts < $1.dts }, "DTS increase")
    let step = try #require(packets.first).duration
    #expect(packets.allSatisfy { $0.duration == step }, "every sample has one duration")
    #expect(
      packets.map(\.pts).sorted() == (0..<195).map { $0 * step }, "frames at 0, 1, 2, … durations")
    #expect(packets.first?.flags.contains("K") == true)
    #expect(try file.complaints() == "")

    let durations = try file.ffprobe(["-show_entries", "stream=duration", "-of", "csv=p=0"])
      .split(separator: "\n").compactMap { Double($0) }
    #expect(durations.count == 2 && durations.allSatisfy { abs($0 - 6.5) < 0.0005 })
  }

  @Test func `the index is at the front if requested, and otherwise at the end`() throws {
    let folder = try TemporaryDirectory()
    let project = try Self.project(in: folder)
    let front = try Rendered(project: project, in: folder, output: "front.mp4")
    let back = try Rendered(
      project: project.replacingOccurrences(
        of: "\"fileType\"", with: "\"optimizeForNetworkUse\": false, \"fileType\""),
      in: folder, output: "back.mp4")
    let boxes = try [front, back].map { try Boxes.topLevel(of: $0.path).filter { $0 != "free" } }
    #expect(boxes[0] == ["ftyp", "moov", "mdat"])
    #expect(boxes[1] == ["ftyp", "mdat", "moov"])
  }
}

/// The boxes of an ISO base media file.
enum Boxes {
  /// The types at the top level, in file order, by ISO/IEC 14496-12 §4.2.
  static func topLevel(of path: String) throws -> [String] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    var types: [String] = []
    var offset = 0
    while offset + 8 <= data.count {
      func number(_ at: Int, _ count: Int) -> Int {
        data[at..<at + count].reduce(0) { $0 << 8 | Int($1) }
      }
      var size = number(offset, 4)
      types.append(String(decoding: data[offset + 4..<offset + 8], as: UTF8.self))
      if size == 1 { size = number(offset + 8, 8) }
      guard size >= 8 else { break }
      offset += size
    }
    return types
  }
}
