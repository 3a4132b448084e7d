import Foundation
import Support
import Testing

/// Jobs with truncated footage.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct CutFootageTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func write(_ name: String, _ codecs: [String]) throws {
    let path = folder.path(name)
    let sources = [
      "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x192:r=25", "-f", "lavfi", "-i",
      "sine=440:r=48000", "-t", "4",
    ]
    try Tool.run("ffmpeg", sources + codecs + ["-bitexact", path])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try bytes.prefix(bytes.count * 6 / 10).write(to: URL(fileURLWithPath: path))
  }

  private func run(_ arguments: [String], _ clip: String, onDamage: String) throws
    -> Program.Outcome
  {
    let encoding = #""video": {"crf": 35, "encoderPreset": "ultrafast"}"#
    let export = #"{\#(encoding), "onDamage": "\#(onDamage)"}"#
    try #"{"version": 1, "sequence": [{"clip": "\#(clip)"}], "export": \#(export)}"#
      .write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
    return try Program.sheaf.run(arguments, in: folder.path)
  }

  @Test(arguments: [
    ("beach.mkv", ["-c:v", "libx264", "-g", "12", "-pix_fmt", "yuv420p", "-c:a", "aac"]),
    ("beach.webm", ["-c:v", "libvpx", "-cpu-used", "8", "-g", "12", "-c:a", "libopus"]),
    ("beach.avi", ["-c:v", "mpeg4", "-g", "12", "-c:a", "pcm_s16le"]),
  ])
  func `a truncated file is invalid unless its damage is concealed`(
    name: String, codecs: [String]
  ) throws {
    try write(name, codecs)
    let refused = try run(["validate", "cut.json"], name, onDamage: "fail")
    #expect(refused.status == 3, "\(refused.standardOutput)")
    #expect(
      refused.standardError.contains("the asset \"\(name)\" is truncated"),
      "\(refused.standardError)")
    let valid = try run(["validate", "cut.json"], name, onDamage: "conceal")
    #expect(valid.status == 0, "\(valid.standardError)")
    let film = try run(
      ["render", "cut.json", "-o", "out.mp4", "--workers", "1", "--overwrite"], name,
      onDamage: "conceal")
    #expect(film.status == 0, "\(film.standardError)")
    let said = film.standardOutput + film.standardError
    #expect(said.contains("concealed: \(name) at "), "\(said)")
    let verified = try Program.sheaf.run(["probe", "--verify", name], in: folder.path)
    #expect(verified.status == 1)
    #expect(
      verified.standardOutput.contains("frames damaged or missing: "),
      "\(verified.standardOutput)")
  }
}
