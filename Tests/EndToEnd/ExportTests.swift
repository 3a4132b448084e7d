import Crypto
import Foundation
import Support
import Testing

/// Files of every codec, rendered by farms of several sizes and checked with other tools.
@Suite(.mayBlock) struct ExportTests {
  static let exports: [(name: String, file: String, export: String)] = [
    (
      "hevc", "out.mp4",
      #"{"preset": "hevcHighestQuality", "video": {"codec": "hevc", "encoderPreset": "superfast"}}"#
    ),
    (
      "av1", "out.webm",
      """
      {"fileType": "webm", "audio": {"codec": "opus"},
       "video": {"codec": "av1", "encoderPreset": "12", "crf": 40}}
      """
    ),
    (
      "vp9", "out.mkv",
      """
      {"fileType": "mkv", "audio": {"codec": "flac"},
       "video": {"codec": "vp9", "encoderPreset": "8", "bitRate": 400000}}
      """
    ),
    ("prores", "out.mov", #"{"preset": "appleProRes422LPCM"}"#),
    (
      "h264", "out.m4v",
      """
      {"fileType": "m4v", "video": {"crf": 26, "encoderPreset": "veryfast", "profile": "main",
        "level": "4.1", "keyFrameInterval": 20, "options": {"aq-mode": 2, "ref": 2}}}
      """
    ),
  ]

  /// Two clips that name their frames, with sound.
  private static let clips = Result {
    let folder = try TemporaryDirectory()
    return try [1, 2].map { source in
      let (silent, clip) = (folder.path("silent-\(source).mp4"), folder.path("clip-\(source).mp4"))
      try FrameNamingClip(source: source, frameCount: 60, width: 320, height: 180).write(to: silent)
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-y", "-i", silent, "-f", "lavfi", "-i",
          "sine=frequency=\(source * 440):sample_rate=48000", "-shortest", "-c:v", "copy", "-c:a",
          "aac", clip,
        ])
      return try Data(contentsOf: URL(fileURLWithPath: clip))
    }
  }

  /// The two clips, and a dissolve between them; 90 frames.
  private static func project(_ export: String, in folder: TemporaryDirectory) throws -> String {
    for (index, bytes) in try clips.get().enumerated() {
      try bytes.write(to: URL(fileURLWithPath: folder.path("clip-\(index + 1).mp4")))
    }
    return """
      {"version": 1, "sequence": [
        {"clip": "clip-1.mp4", "in": 0, "out": 2}, {"transition": "dissolve", "duration": 1},
        {"clip": "clip-2.mp4", "in": 0, "out": 2}],
       "export": \(export)}
      """
  }

  @Test(arguments: exports.indices)
  func `a file of any codec is the same for any number of workers, and shows every frame`(
    number: Int
  ) throws {
    let (_, file, export) = Self.exports[number]
    let folder = try TemporaryDirectory()
    let project = try Self.project(export, in: folder)
    var digests: [Int: Digest] = [:]
    for workers in Thoroughness.isFull ? [1, 2, 5] : [1, 5] {
      let name = "\(workers)-\(file)"
      let rendered = try Rendered(project: project, in: folder, workers: workers, output: name)
      digests[workers] = try rendered.digest
      guard workers == 5 else { continue }
      #expect(try rendered.complaints() == "")
      let names = try FrameNameReader.names(in: rendered.path)
      #expect(names.count == 90)
      let expected =
        (0..<30).map { FrameName(source: 1, frame: $0) }
        + (30..<60).map { FrameName(source: 2, frame: $0) }
      #expect(Array(names.prefix(30) + names.suffix(30)) == expected)
    }
    #expect(Set(digests.values).count == 1, "\(digests)")
  }

  @Test func `an exported part of the composition has the same frames as the whole`() throws {
    let folder = try TemporaryDirectory()
    let rendered = try Rendered(
      project: try Self.project(
        """
        {"timeRange": {"start": "1/2", "duration": "5/2"}, "video": {"encoderPreset": "veryfast"}}
        """, in: folder), in: folder)
    let names = try FrameNameReader.names(in: rendered.path)
    #expect(names.count == 75)
    #expect(Array(names.prefix(15)) == (15..<30).map { FrameName(source: 1, frame: $0) })
    #expect(Array(names.suffix(30)) == (30..<60).map { FrameName(source: 2, frame: $0) })
    let durations = try rendered.ffprobe(["-show_entries", "stream=duration", "-of", "csv=p=0"])
      .split(separator: "\n").compactMap { Double($0) }
    #expect(durations == [2.5, 2.5])
  }

  @Test(arguments: ["mp4", "mov", "m4v", "m4a", "mkv"])
  func `chapters start at the right times, even if the first starts after the file does`(
    type: String
  ) throws {
    let folder = try TemporaryDirectory()
    let pictures = type == "m4a" ? "" : #""video": {"encoderPreset": "ultrafast"}, "#
    let export = """
      {"fileType": "\(type)", \(pictures)
       "chapters": [{"time": "1/2", "title": "Sowing"}, {"time": 2, "title": "Reaping"}]}
      """
    let rendered = try Rendered(
      project: try Self.project(export, in: folder), in: folder, output: "out.\(type)")
    let chapters = try rendered.chapters().filter { !($0.tags?["title"] ?? "").isEmpty }
    #expect(chapters.map { $0.tags?["title"] } == ["Sowing", "Reaping"])
    #expect(chapters.compactMap { Double($0.start_time) } == [0.5, 2])
    #expect(chapters.compactMap { Double($0.end_time) } == [2, 3])
    #expect(try rendered.complaints() == "")
  }

  @Test(arguments: ["mp4", "mov", "mkv"])
  func `metadata and chapters are in the file, but not the time of rendering`(
    type: String
  ) throws {
    let folder = try TemporaryDirectory()
    let export = """
      {"fileType": "\(type)", "video": {"encoderPreset": "ultrafast"},
       "metadata": {"title": "Harvest", "artist": "The reapers", "copyright": "2026 Them",
         "creationDate": "2026-11-20T18:30:00Z"},
       "chapters": [{"time": 0, "title": "Sowing"}, {"time": "3/2", "title": "Reaping"}]}
      """
    let rendered = try Rendered(
      project: try Self.project(export, in: folder), in: folder, output: "out.\(type)")
    struct Answer: Decodable {
      struct Format: Decodable { let tags: [String: String] }
      let format: Format
    }
    let text = try rendered.ffprobe(["-show_format", "-of", "json"])
    let answer = try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
    let tags = Dictionary(
      answer.format.tags.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { a, _ in a })
    #expect(tags["title"] == "Harvest")
    #expect(tags["artist"] == "The reapers")
    #expect(tags["copyright"] == "2026 Them")
    #expect(tags["creation_time"] == "2026-11-20T18:30:00.000000Z")
    let chapters = try rendered.chapters()
    #expect(chapters.map { $0.tags?["title"] } == ["Sowing", "Reaping"])
    #expect(chapters.compactMap { Double($0.start_time) } == [0, 1.5])
    #expect(chapters.compactMap { Double($0.end_time) } == [1.5, 3])
    #expect(try rendered.complaints() == "")
  }

  @Test func `an audio-only preset gives a file without video`() throws {
    let folder = try TemporaryDirectory()
    let rendered = try Rendered(
      project: try Self.project(#"{"preset": "appleM4A"}"#, in: folder), in: folder,
      output: "out.m4a")
    let streams = try rendered.ffprobe([
      "-show_entries", "stream=codec_name,duration", "-of", "csv=p=0",
    ])
    #expect(streams == "aac,3.000000")
  }

  @Test func `an unknown encoder option is a finding with its path`() throws {
    let folder = try TemporaryDirectory()
    let file = folder.path("cut.json")
    try Self.project(
      #"{"video": {"options": {"me": "sideways", "color": "red", "ref": 3}}}"#, in: folder
    ).write(toFile: file, atomically: true, encoding: .utf8)
    let outcome = try Program.sheaf.run(["validate", file], in: folder.path)
    #expect(outcome.status == 3)
    let lines = outcome.standardError.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.contains("export.video.options.color") == true)
    #expect(lines.last?.contains("export.video.options.me") == true)
  }
}

/// A chapter as ffprobe shows it.
private struct ShownChapter: Decodable {
  let start_time: String
  let end_time: String
  let tags: [String: String]?
}

extension Rendered {
  fileprivate func chapters() throws -> [ShownChapter] {
    struct Answer: Decodable { let chapters: [ShownChapter] }
    let text = try ffprobe(["-show_chapters", "-of", "json"])
    return try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).chapters
  }
}
