import Crypto
import Foundation
import Processes
import Support
import Testing

/// Invalid input of every kind gives one message that names the subject, and the right exit code.
@Suite(.mayBlock) struct BadInputTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try SolidClip(color: (80, 128, 128), frameCount: 30).write(to: folder.path("good.mp4"))
  }

  private func write(_ name: String, _ bytes: Data) throws {
    try bytes.write(to: URL(fileURLWithPath: folder.path(name)))
  }

  /// Runs a command, and expects one line with an error and no new file.
  private func expectRefusal(
    _ arguments: [String], code: Int32, naming subject: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let outcome = try Program.sheaf.run(arguments, in: folder.path)
    #expect(outcome.status == code, "\(outcome.standardError)", sourceLocation: sourceLocation)
    let lines = outcome.standardError.split(separator: "\n")
    #expect(lines.count == 1, "\(outcome.standardError)", sourceLocation: sourceLocation)
    #expect(
      lines.first?.hasPrefix("sheaf: ") == true && lines.first?.contains(subject) == true,
      "\(outcome.standardError)", sourceLocation: sourceLocation)
    let after = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(after == before, sourceLocation: sourceLocation)
  }

  private func expectInvalid(
    _ project: String, naming subject: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try write("cut.json", Data(project.utf8))
    try expectRefusal(
      ["render", "cut.json", "-o", "out.mp4"], code: 3, naming: subject,
      sourceLocation: sourceLocation)
  }

  @Test func `a missing file is named`() throws {
    try expectRefusal(
      ["render", "good.mp4", "gone.mp4", "-o", "out.mp4"], code: 3, naming: "gone.mp4")
  }

  @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
  func `a deeply nested project is rejected`(opening: String, closing: String) throws {
    let nested =
      String(repeating: opening, count: 100_000) + "1" + String(repeating: closing, count: 100_000)
    try write("cut.json", Data(#"{"version": 1, "sequence": \#(nested)}"#.utf8))
    try expectRefusal(["validate", "cut.json"], code: 3, naming: "nested more than 80 levels deep")
  }

  @Test func `findings on the text, the files and the layers are reported together`() throws {
    try write("text.mp4", Data("hello".utf8))
    try write(
      "cut.json",
      Data(
        """
        {"version": 1,
         "sequence": [
           {"clip": "good.mp4", "out": 9}, {"clip": "gone.mp4"}, {"clip": "gone.mp4"},
           {"clip": "text.mp4"}],
         "animation": {"layers": [
           {"type": "text", "text": "Hi", "font": {"family": "Never Cut", "size": 20}},
           {"type": "image", "asset": "text.mp4"}]},
         "export": {"fileType": "webm", "video": {"codec": "prores"}}}
        """.utf8))
    let outcome = try Program.sheaf.run(["validate", "cut.json"], in: folder.path)
    #expect(outcome.status == 3)
    let lines = outcome.standardError.split(separator: "\n").map(String.init)
    let expected = [
      ("sequence[1].clip", "gone.mp4"), ("sequence[3].clip", "text.mp4"),
      ("export.fileType", "prores"), ("export.audio.codec", "webm"), ("sequence[0].out", "9 s"),
      ("animation.layers[0].font.family", "Never Cut"),
      ("animation.layers[1].asset", "the image of a layer"),
    ]
    #expect(lines.count == expected.count, "\(outcome.standardError)")
    for (line, (path, value)) in zip(lines, expected) {
      #expect(line.hasPrefix("sheaf: invalid project: \(path)"), "\(line)")
      #expect(line.contains(value), "\(line)")
    }
  }

  @Test func `a file outside the allowed roots is rejected, even behind a link`() throws {
    let elsewhere = try TemporaryDirectory()
    try SolidClip(color: (90, 100, 110), frameCount: 31).write(to: elsewhere.path("far.mp4"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("near.mp4"), withDestinationPath: elsewhere.path("far.mp4"))
    try write(
      "cut.json",
      Data(
        #"{"version": 1, "sequence": [{"clip": "good.mp4"}, {"clip": "near.mp4"}]}"#.utf8))
    let refused = try Program.sheaf.run(["validate", "cut.json", "--root", "."], in: folder.path)
    #expect(refused.status == 3)
    #expect(refused.standardError.hasPrefix("sheaf: invalid project: sequence[1].clip: "))
    #expect(refused.standardError.contains("far.mp4"))
    let allowed = try Program.sheaf.run(
      ["validate", "cut.json", "--root", ".", "--root", elsewhere.path], in: folder.path)
    #expect(allowed.status == 0, "\(allowed.standardError)")

    try write(
      "shown.json",
      Data(
        """
        {"version": 1, "sequence": [{"clip": "good.mp4"}], "animation": {"layers": [
          {"type": "group", "layers": [{"type": "image", "asset": "near.mp4"}]}]}}
        """.utf8))
    let shown = try Program.sheaf.run(["validate", "shown.json", "--root", "."], in: folder.path)
    #expect(
      shown.standardError.hasPrefix(
        "sheaf: invalid project: animation.layers[0].layers[0].asset: "))
  }

  @Test func `a file outside the allowed roots is not hashed`() throws {
    let (elsewhere, caches) = (try TemporaryDirectory(), try TemporaryDirectory())
    try SolidClip(color: (90, 100, 110), frameCount: 31).write(to: elsewhere.path("far.mp4"))
    let outcome = try Program.sheaf.run(
      ["render", "good.mp4", elsewhere.path("far.mp4"), "-o", "out.mp4", "--root", "."],
      in: folder.path, environment: ["XDG_CACHE_HOME": caches.path])
    #expect(outcome.status == 3)
    #expect(outcome.standardError.contains("is not under"), "\(outcome.standardError)")
    let far = try Digest.of(file: elsewhere.path("far.mp4"))
    #expect(!FileManager.default.fileExists(atPath: caches.path("sheaf/blocks/\(far)")))
  }

  @Test(.timeLimit(.minutes(15))) func `findings do not wait until the media is hashed`() throws {
    // Files that take hours to hash, one for each that is hashed at a time; the clip comes after them.
    let slow = (0..<ProcessInfo.processInfo.activeProcessorCount).map { "a\($0).mp4" }
    for name in slow {
      try write(name, Data())
      #expect(truncate(folder.path(name), 4 << 40) == 0)
    }
    let clips = slow.map { #"{"clip": "\#($0)"}, "# }.joined()
    try write(
      "cut.json",
      Data(#"{"version": 1, "sequence": [\#(clips){"clip": "good.mp4", "out": 100}]}"#.utf8))
    let outcome = try Program.sheaf.run(["render", "cut.json", "-o", "out.mp4"], in: folder.path)
    #expect(outcome.status == 3)
    #expect(outcome.standardError.contains("sequence[\(slow.count)].out: "))
  }

  @Test func `a file that is not media is rejected`() throws {
    try write("text.mp4", Data("hello".utf8))
    try expectRefusal(["render", "text.mp4", "-o", "out.mp4"], code: 3, naming: "text.mp4")
  }

  @Test func `a truncated file is rejected`() throws {
    try SolidClip(color: (80, 128, 128), frameCount: 30).write(to: folder.path("whole.mp4"))
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path("whole.mp4")))
    try write("half.mp4", whole.prefix(whole.count / 2))
    try expectRefusal(["render", "half.mp4", "-o", "out.mp4"], code: 3, naming: "half.mp4")
  }

  @Test func `an empty file is rejected`() throws {
    try write("empty.mp4", Data())
    try expectRefusal(["render", "empty.mp4", "-o", "out.mp4"], code: 3, naming: "empty.mp4")
  }

  @Test(arguments: ["png", "jpg"], [0.05, 0.5, 0.9])
  func `a truncated picture is rejected`(kind: String, part: Double) throws {
    let path = folder.path("whole.\(kind)")
    _ = try Tool.run("ffmpeg", ["-f", "lavfi", "-i", "testsrc2=s=640x480", "-frames:v", "1", path])
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    try write("part.\(kind)", whole.prefix(Int(Double(whole.count) * part)))
    try expectRefusal(
      ["render", "part.\(kind)", "-o", "out.mp4"], code: 3, naming: "part.\(kind)")
  }

  @Test func `a picture of more than 134,217,728 pixels is a finding at validation time`() throws {
    let path = folder.path("huge.png")
    _ = try Tool.run(
      "ffmpeg",
      ["-f", "lavfi", "-i", "color=s=16000x16000", "-frames:v", "1", "-pix_fmt", "monob", path])
    try write("cut.json", Data(#"{"version": 1, "sequence": [{"clip": "huge.png"}]}"#.utf8))
    try expectRefusal(["validate", "cut.json"], code: 3, naming: "16000 × 16000")
    try expectRefusal(["render", "huge.png", "-o", "out.mp4"], code: 3, naming: "16000 × 16000")
  }

  @Test func `AV1 at 8K passes the check of its encoder`() throws {
    // The slower preset takes a minute.
    let preset = Thoroughness.isFull ? 4 : 10
    let path = folder.path("still.png")
    _ = try Tool.run(
      "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "color=s=64x36", "-frames:v", "1", path])
    try write(
      "cut.json",
      Data(
        """
        {"version": 1, "renderSize": {"width": 7680, "height": 4320},
         "sequence": [{"clip": "still.png", "duration": 1}],
         "export": {"video": {"codec": "av1", "encoderPreset": "\(preset)", "bitDepth": 10}}}
        """.utf8))
    let outcome = try Program.sheaf.run(["validate", "cut.json"], in: folder.path)
    #expect(outcome.status == 0, "\(outcome.standardError)")
  }

  @Test func `a clip without video is rejected`() throws {
    try Tool.run(
      "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=d=1", folder.path("sound.m4a")])
    try expectRefusal(["render", "sound.m4a", "-o", "out.mp4"], code: 3, naming: "sound.m4a")
  }

  @Test(arguments: [
    (#"[{"clip": "good.mp4", "out": 9}]"#, "sequence[0].out"),
    (#"[{"clip": "good.mp4", "duration": 0}]"#, "sequence[0].duration"),
    (#"[{"clip": "good.mp4", "duration": -1}]"#, "sequence[0].duration"),
    (#"[{"clip": "good.mp4", "in": "1/0"}]"#, "sequence[0].in"),
    (#"[{"clip": "good.mp4", "in": 0.5}]"#, "sequence[0].in"),
    (#"[{"clip": "good.mp4", "in": "9223372036854775808"}]"#, "sequence[0].in"),
    (#"[{"clip": "good.mp4", "color": 1}]"#, "sequence[0].color"),
    (#"[{"clip": "good.mp4", "reverse": true}]"#, "not supported yet"),
    (#"[]"#, "sequence"),
  ])
  func `an invalid sequence is rejected`(sequence: String, subject: String) throws {
    try expectInvalid(#"{"version": 1, "sequence": \#(sequence)}"#, naming: subject)
  }

  @Test(arguments: [
    ("other", 320, 180, "\"start\": 0", "tracks[0].segments[0].asset"),
    ("good", 0, 180, "\"start\": 0", "renderSize.width"),
    ("good", 321, 180, "\"start\": 0", "renderSize.width"),
    ("good", 320, 100_000, "\"start\": 0", "renderSize.height"),
    ("good", 320, 180, "\"start\": \"1/2\"", "instructions[1].timeRange.start"),
  ])
  func `an invalid composition is rejected`(
    asset: String, width: Int, height: Int, second: String, subject: String
  ) throws {
    // Without a second instruction, the first one covers everything, so the instructions are valid.
    let extra =
      second == "\"start\": 0"
      ? "" : #", {"timeRange": {\#(second), "duration": "1/2"}, "layers": []}"#
    try expectInvalid(
      #"""
      {"version": 1, "assets": {"good": {"path": "good.mp4"}},
       "composition": {"tracks": [{"id": 1, "mediaType": "video", "segments": [
         {"asset": "\#(asset)", "trackIndex": 0, "source": {"start": 0, "duration": 1},
          "target": {"start": 0, "duration": 1}}]}]},
       "videoComposition": {"renderSize": {"width": \#(width), "height": \#(height)},
         "frameDuration": "1/30", "instructions": [
           {"timeRange": {"start": 0, "duration": 1}, "layers": [{"track": 1}]}\#(extra)]}}
      """#, naming: subject)
  }

  @Test func `text that is not UTF-8 is rejected`() throws {
    try write("cut.json", Data([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x7D]))
    try expectRefusal(["validate", "cut.json"], code: 3, naming: "UTF-8")
  }

  @Test func `a project file of 100 MB is rejected`() throws {
    let path = folder.path("big.json")
    try write("big.json", Data())
    truncate(path, 100_000_000)
    try expectRefusal(["validate", "big.json"], code: 3, naming: "big.json")
  }

  @Test func `an output in a missing directory is rejected`() throws {
    try expectRefusal(
      ["render", "good.mp4", "-o", "nowhere/out.mp4"], code: 1, naming: "nowhere/out.mp4")
  }

  @Test func `an output that is also an input is rejected`() throws {
    try expectRefusal(
      ["render", "good.mp4", "-o", "good.mp4", "--overwrite"], code: 2, naming: "good.mp4")
  }

  @Test func `an output with an unknown extension is rejected`() throws {
    try expectRefusal(["render", "good.mp4", "-o", "out.avi"], code: 2, naming: "out.avi")
  }

  @Test func `a missing project file is named`() throws {
    try expectRefusal(["validate", "gone.json"], code: 1, naming: "gone.json")
  }

  @Test func `a clip in a project's place is rejected as one`() throws {
    try expectRefusal(["submit", "good.mp4"], code: 3, naming: "not a project file")
  }

  @Test func `a folder in the place of a clip is rejected and named`() throws {
    try expectInvalid(
      #"{"version": 1, "sequence": [{"clip": "."}]}"#,
      naming: "sequence[0].clip: cannot open the file: \(folder.path): use a file in this folder")
  }

  @Test(arguments: [
    ["jobs"], ["job", "x"], ["watch", "x"], ["cancel", "x"], ["workers"],
    ["fetch", "x", "-o", "out.mp4"],
  ])
  func `an unreachable coordinator is named`(arguments: [String]) throws {
    // Port 1 is reserved, and nothing listens on it.
    try expectRefusal(
      arguments + ["--coordinator", "http://127.0.0.1:1"], code: 4, naming: "http://127.0.0.1:1")
  }

  @Test(arguments: [
    ([], "missing command"), (["dance"], "dance"), (["render"], "INPUT"),
    (["render", "good.mp4"], "--output"), (["jobs", "--jsn"], "--jsn"),
    (["render", "good.mp4", "-o", "o.mp4", "--workers", "none"], "none"),
    (["render", "cut.json", "-o", "o.mp4", "--crf", "3"], "--crf"),
    (["render", "good.mp4", "-o", "good.mp4", "--crf", "99"], "99"),
    (["render", "still.png", "-o", "o.mp4", "--still-duration", "0"], "--still-duration"),
    (["render", "good.mp4", "-o", "o.mp4", "--transition", "disolve:1"], "mean dissolve:1?"),
    (["render", "good.mp4", "-o", "o.mp4", "--transition", "dissolve"], "mean dissolve:1?"),
    (["render", "good.mp4", "-o", "o.mp4", "--transition", "wipe:0,5"], "mean wipe:0.5?"),
    (["render", "good.mp4", "-o", "o.mp4", "--frame-rate", "29,97"], "mean 29.97?"),
    (["jobs", "--token-file", "gone.token"], "cannot read the token file: gone.token"),
  ])
  func `an invalid command line is rejected`(arguments: [String], subject: String) throws {
    try expectRefusal(arguments, code: 2, naming: subject)
  }

  @Test func `a command fails if its results cannot be written`() throws {
    let process = Program.sheaf.process(["probe", folder.path("good.mp4")])
    process.standardOutput = try .writing("/dev/full")
    process.standardError = .null
    try process.run()
    #expect(process.wait() == .exited(1))
  }

  @Test func `all findings are reported at once`() throws {
    try write(
      "cut.json",
      Data(
        #"{"version": 1, "sequence": [{"clip": "good.mp4", "a": 1}, {"clip": "good.mp4", "b": 1}]}"#
          .utf8))
    let outcome = try Program.sheaf.run(["validate", "cut.json"], in: folder.path)
    #expect(outcome.status == 3)
    #expect(outcome.standardError.split(separator: "\n").count == 2)
  }

  @Test func `findings can be printed as JSON`() throws {
    try write("cut.json", Data("{}".utf8))
    let outcome = try Program.sheaf.run(["validate", "cut.json", "--json"], in: folder.path)
    #expect(outcome.status == 3)
    #expect(outcome.standardOutput.hasPrefix(#"{"findings":["#))
    #expect(outcome.standardError.isEmpty)
  }
}
