import Foundation
import Support
import Testing
import Timeline

/// The arguments and messages of `sheaf frame` and `sheaf contact-sheet`.
@Suite(.mayBlock) struct StillsCommandTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try FrameNamingClip(source: 1, frameCount: 50, rate: "25").write(to: folder.path("a.mp4"))
    try #"{"version": 1, "sequence": [{"clip": "a.mp4"}]}"#
      .write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
  }

  private func sheaf(_ arguments: String...) throws -> Program.Outcome {
    try Program.sheaf.run(arguments, in: folder.path)
  }

  @Test(arguments: [
    ("0", 0), ("1.5", 37), ("00:00:01", 25), ("00:00:01:12", 37), ("49/25", 49), ("1999ms", 49),
    ("0:01.999", 49),
  ])
  func `a time selects the frame that is shown then`(time: String, frame: Int) throws {
    let outcome = try sheaf("frame", "cut.json", "--at", time, "-o", "x.png", "--json")
    #expect(outcome.status == 0, "\(outcome.standardError)")
    struct Report: Decodable {
      let frame: Int
      let time: RationalTime
      let width, height: Int
    }
    let report = try JSONDecoder().decode(Report.self, from: Data(outcome.standardOutput.utf8))
    #expect(report.frame == frame)
    #expect(try report.time == RationalTime(Int64(frame), 25))
    #expect((report.width, report.height) == (320, 180))
    #expect(
      try FrameNameReader.names(in: folder.path("x.png")) == [FrameName(source: 1, frame: frame)])
  }

  @Test(arguments: ["2", "00:01:00", "-1", "00:00:02:00"])
  func `a time outside the film is refused with its length`(time: String) throws {
    let outcome = try sheaf("frame", "cut.json", "--at=\(time)", "-o", "x.png")
    #expect(outcome.status == 2)
    #expect(
      outcome.standardError == "sheaf: no frame is shown at this time: --at \(time): "
        + "the film is 00:00:02:00 long, and its last frame is at 00:00:01:24\n")
    #expect(!FileManager.default.fileExists(atPath: folder.path("x.png")))
  }

  @Test func `a time counts from the start of the exported part`() throws {
    try #"""
    {"version": 1, "sequence": [{"clip": "a.mp4"}],
     "export": {"timeRange": {"start": 1, "duration": "1/2"}}}
    """#.write(toFile: folder.path("part.json"), atomically: true, encoding: .utf8)
    try #require(try sheaf("frame", "part.json", "--at", "0.2", "-o", "x.png").status == 0)
    #expect(
      try FrameNameReader.names(in: folder.path("x.png")) == [FrameName(source: 1, frame: 30)])
    let late = try sheaf("frame", "part.json", "--at", "0.6", "-o", "y.png")
    #expect(late.standardError.contains("its last frame is at 00:00:00:12"))
  }

  @Test func `impossible requests are refused before anything is written`() throws {
    try ClickTrack(sampleCount: 48_000, clicks: [4800]).write(to: folder.path("song.wav"))
    try "{".write(toFile: folder.path("bad.json"), atomically: true, encoding: .utf8)
    try "old".write(toFile: folder.path("old.png"), atomically: true, encoding: .utf8)
    for (arguments, status, text) in [
      (["frame", "cut.json", "-o", "x.png"], 2, "missing option: --at TIME"),
      (["frame", "cut.json", "--at", "soon", "-o", "x.png"], 2, "--at must be a time"),
      (["frame", "cut.json", "--at", "1", "-o", "x.gif"], 2, ".png, .jpg, .jpeg"),
      (["frame", "cut.json", "--at", "1", "-o", "old.png"], 1, "the output already exists"),
      (["frame", "song.wav", "--at", "0", "-o", "x.png"], 1, "the file has no video: song.wav"),
      (["frame", "bad.json", "--at", "0", "-o", "x.png"], 3, "line 1, column 2"),
      (["frame", "gone.mp4", "--at", "0", "-o", "x.png"], 1, "gone.mp4"),
      (
        ["contact-sheet", "cut.json", "-o", "x.png", "--every", "1", "--frames", "3"], 2,
        "use either --frames or --every"
      ),
      (
        ["contact-sheet", "cut.json", "-o", "x.png", "--every", "0.001"], 2,
        "more than 1000 frames"
      ),
      (["contact-sheet", "cut.json", "-o", "x.png", "--every", "0"], 2, "above 0"),
      (
        ["contact-sheet", "cut.json", "-o", "x.png", "--width", "200", "--columns", "20"], 2,
        "narrower than 32 pixels: --width 200"
      ),
    ] {
      let outcome = try Program.sheaf.run(arguments, in: folder.path)
      #expect(outcome.status == Int32(status), "\(arguments): \(outcome.standardError)")
      #expect(outcome.standardError.contains(text), "\(arguments): \(outcome.standardError)")
      #expect(outcome.standardError.split(separator: "\n").count == 1)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("x.png")))
    #expect(try String(contentsOfFile: folder.path("old.png"), encoding: .utf8) == "old")
  }

  @Test func `a contact sheet of a movie lists its frames`() throws {
    let outcome = try sheaf(
      "contact-sheet", "a.mp4", "-o", "sheet.jpg", "--every", "00:00:00:20", "--columns", "2",
      "--width", "400", "--json")
    try #require(outcome.status == 0, "\(outcome.standardError)")
    struct Report: Decodable {
      struct Frame: Decodable {
        let frame: Int
        let time: RationalTime
      }
      let width, height: Int
      let frames: [Frame]
    }
    let report = try JSONDecoder().decode(Report.self, from: Data(outcome.standardOutput.utf8))
    #expect(report.frames.map(\.frame) == [0, 20, 40])
    #expect(try report.frames.map(\.time) == [.zero, RationalTime(4, 5), RationalTime(8, 5)])
    #expect(report.width == 400)
    #expect(
      try FrameNameReader.size(of: folder.path("sheet.jpg")) == (report.width, report.height))
  }
}
