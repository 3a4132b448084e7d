import Foundation
import Support
import Testing

/// `sheaf init`, whose projects must be valid as they are, and with each comment in use.
@Suite(.mayBlock) struct InitCommandTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: folder.path("My \"film\"/sub"), withIntermediateDirectories: true)
  }

  private func media(_ name: String) -> String { folder.path("My \"film\"/\(name)") }

  /// Fills the folder with clips that differ in size and rate, and with other files.
  private func fill() throws {
    try FrameNamingClip(source: 1, frameCount: 30, rate: "30").write(to: media("clip10.mp4"))
    try FrameNamingClip(source: 2, frameCount: 40, rate: "25", width: 192, height: 320)
      .write(to: media("clip2.mov"))
    try FileManager.default.copyItem(atPath: media("clip2.mov"), toPath: media("no extension"))
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "color=red:s=64x48", "-frames:v", "1",
        media("Z photo.png"),
      ])
    try ClickTrack(sampleCount: 48_000, clicks: [4800]).write(to: media("song.wav"))
    try Data("shopping list".utf8).write(to: URL(fileURLWithPath: media("notes.txt")))
    try Data("not a movie".utf8).write(to: URL(fileURLWithPath: media("broken.mp4")))
    try Data().write(to: URL(fileURLWithPath: media(".hidden.mp4")))
    mkfifo(media("pipe.mp4"), 0o600)
  }

  private func sheaf(_ arguments: String...) throws -> Program.Outcome {
    try Program.sheaf.run(arguments, in: folder.path)
  }

  @Test func `a folder becomes a project that can be rendered at once`() throws {
    try fill()
    let outcome = try sheaf("init", "My \"film\"")
    try #require(outcome.status == 0, "\(outcome.standardError)")
    #expect(outcome.standardOutput.contains("3 clips and 1 picture"))
    #expect(
      outcome.standardOutput.contains(#"sheaf render 'My "film"/project.json' -o 'My "film".mp4'"#))
    let notes = outcome.standardError.split(separator: "\n")
    #expect(notes.count == 4, "\(outcome.standardError)")
    for (name, text) in [
      ("notes.txt", "left out"), ("broken.mp4", "left out"), ("pipe.mp4", "not a regular file"),
      ("song.wav", "offered as music"),
    ] {
      #expect(notes.contains { $0.hasPrefix("sheaf: \(name): ") && $0.contains(text) })
      #expect(!outcome.standardError.contains(folder.path))
    }
    let project = try project(at: "My \"film\"/project.json")
    let clips = try #require(project["sequence"] as? [[String: Any]])
    #expect(
      clips.map { $0["clip"] as? String } == [
        "clip2.mov", "clip10.mp4", "no extension", "Z photo.png",
      ])
    #expect(try sheaf("validate", "My \"film\"/project.json").status == 0)
    let rendered = try sheaf(
      "render", "My \"film\"/project.json", "-o", "film.mp4", "--workers", "2")
    #expect(rendered.status == 0, "\(rendered.standardError)")
  }

  private func project(at name: String) throws -> [String: Any] {
    let data = try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func `every comment that holds a setting can be used`() throws {
    try fill()
    try #require(try sheaf("init", "My \"film\"", "-o", "all.json").status == 0)
    var project = try project(at: "all.json")
    for key in ["titles", "music", "renderSize", "frameRate"] {
      let value = project.removeValue(forKey: "//\(key)")
      #expect(value != nil, "\(key)")
      project[key] = value
    }
    // The shown examples of items and export settings are objects within the comments.
    func objects(in key: String) -> [[String: Any]] {
      (project[key] as? [Any] ?? []).compactMap { $0 as? [String: Any] }
    }
    let examples = objects(in: "// sequence")
    try #require(examples.count == 2)
    var sequence = try #require(project["sequence"] as? [Any])
    sequence.insert(contentsOf: examples, at: 0)
    // The still image is long enough for the transition.
    sequence.insert(sequence[sequence.count - 1], at: 2)
    project["sequence"] = sequence
    let exports = objects(in: "// export")
    try #require(exports.count == 1)
    project["export"] = exports[0]
    try JSONSerialization.data(withJSONObject: project)
      .write(to: URL(fileURLWithPath: folder.path("all.json")))
    let outcome = try sheaf("validate", "all.json")
    #expect(outcome.status == 0, "\(outcome.standardError)")
  }

  @Test func `an existing file is replaced only on request`() throws {
    try SolidClip(color: (90, 128, 128), frameCount: 5, width: 64, height: 48)
      .write(to: folder.path("a.mp4"))
    let file = folder.path("project.json")
    try "precious".write(toFile: file, atomically: true, encoding: .utf8)
    let refused = try sheaf("init")
    #expect(refused.status == 1)
    #expect(refused.standardError.contains("the output already exists: ./project.json"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
    #expect(try sheaf("init", "--force").status == 0)
    #expect(try project(at: "project.json")["version"] as? Int == 1)
  }

  @Test func `a folder without pictures is refused with one line`() throws {
    for (name, text) in [
      (folder.path("My \"film\"/sub"), "there are no clips or pictures in the folder"),
      ("gone", "cannot read the folder: gone"),
    ] {
      let outcome = try sheaf("init", name)
      #expect(outcome.status == 1)
      #expect(outcome.standardError.split(separator: "\n").count == 1)
      #expect(outcome.standardError.contains(text))
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("My \"film\"/sub")) == [])
  }

  @Test func `paths in a project elsewhere lead to the folder`() throws {
    try fill()
    try FileManager.default.createDirectory(
      atPath: folder.path("cuts/new"), withIntermediateDirectories: true)
    let outcome = try sheaf("init", "My \"film\"", "-o", "cuts/new/cut.json", "--json")
    try #require(outcome.status == 0, "\(outcome.standardError)")
    struct Report: Decodable {
      struct Skipped: Decodable { let file, reason: String }
      let path: String
      let clips, music: [String]
      let skipped: [Skipped]
    }
    let report = try JSONDecoder().decode(Report.self, from: Data(outcome.standardOutput.utf8))
    #expect(report.clips.count == 4)
    #expect(report.music == ["song.wav"])
    #expect(report.skipped.map(\.file) == ["broken.mp4", "notes.txt", "pipe.mp4"])
    let clips = try project(at: "cuts/new/cut.json")["sequence"] as? [[String: Any]]
    #expect(clips?.first?["clip"] as? String == "../../My \"film\"/clip2.mov")
    #expect(try sheaf("validate", "cuts/new/cut.json").status == 0)
  }
}
