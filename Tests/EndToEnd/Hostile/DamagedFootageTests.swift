import Foundation
import Support
import Testing

/// Jobs whose footage cannot be decoded completely.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct DamagedFootageTests {
  private let folder: TemporaryDirectory

  /// A clip of 60 frames at 25 per second with a keyframe every 12 frames. Its 18th packet is overwritten from the middle
  /// on, so frames 17 to 23 are damaged or predicted from a damaged frame.
  init() throws {
    folder = try TemporaryDirectory()
    let path = folder.path("beach.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "mandelbrot=s=320x192:r=25", "-t", "2.4", "-c:v",
        "libx264", "-g", "12", "-bf", "0", "-pix_fmt", "yuv420p", "-bitexact", path,
      ])
    try PacketPlaces.overwrite([17], of: path)
  }

  private static let encoded = #""video": {"crf": 35, "encoderPreset": "ultrafast"}"#
  private static let copied = #""preset": "passthrough", "fileType": "mp4""#

  private func render(
    _ export: String, of clip: String = "beach.mp4"
  ) throws -> Program.Outcome {
    try #"{"version": 1, "sequence": [{"clip": "\#(clip)"}], "export": {\#(export)}}"#
      .write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
    return try Program.sheaf.run(
      ["render", "cut.json", "-o", "out.mp4", "--workers", "1", "--overwrite"], in: folder.path)
  }

  @Test(arguments: [
    encoded, encoded + #", "onDamage": "fail""#, copied + #", "onDamage": "fail""#,
  ])
  func `a job with damaged footage fails and names asset, time and frame`(export: String) throws {
    let outcome = try render(export)
    #expect(outcome.status == 1)
    #expect(
      outcome.standardError.contains(
        "the frame at 0.680 s is damaged (output frame 17): beach.mp4"),
      "\(outcome.standardError)")
  }

  @Test(arguments: [encoded, copied])
  func `a job that conceals damaged footage is completed and lists every frame`(
    export: String
  ) throws {
    let outcome = try render(export + #", "onDamage": "conceal""#)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let said = outcome.standardOutput + outcome.standardError
    #expect(
      said.contains("concealed: beach.mp4 at 0.680 s, in output frames 17 to 23"), "\(said)")
  }

  @Test(arguments: [encoded, copied + #", "onDamage": "fail""#])
  func `a damaged segment that the coordinator finds is rendered first, and fails the job`(
    export: String
  ) async throws {
    let coordinator = Program.coordinator.process([
      "serve", "--data", folder.path("data"), "--port", "0", "--damage-search-after", "0",
    ])
    let log = folder.path("coordinator.log")
    try Data().write(to: URL(fileURLWithPath: log))
    coordinator.standardError = try .writing(log)
    let origin = try coordinator.startListening()
    let worker = Program.worker.process(
      ["--coordinator", origin, "--slots", "1", "--cache", folder.path("cache")])
    worker.standardError = .null
    defer {
      for process in [worker, coordinator] where process.isRunning { process.send(SIGKILL) }
      for process in [worker, coordinator] { process.wait() }
    }
    // The damage is in the second segment, which is shorter than the first.
    try """
    {"version": 1, "sequence": [
      {"clip": "beach.mp4", "in": "36/25"}, {"clip": "beach.mp4", "in": "12/25", "out": "24/25"}],
      "export": {\(export)}}
    """.write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
    let job = try Program.sheaf.run(
      ["submit", "cut.json", "--coordinator", origin], in: folder.path
    ).standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    try await eventually("the damage is found") {
      try String(contentsOfFile: log, encoding: .utf8)
    } satisfies: {
      $0.contains("segment 1 is rendered next: the frame at 0.680 s is damaged (output frame 29)")
    }
    try worker.run()
    let outcome = try Program.sheaf.run(
      ["watch", job, "--coordinator", origin], in: folder.path)
    #expect(outcome.status == 1)
    #expect(
      outcome.standardError.contains(
        "the frame at 0.680 s is damaged (output frame 29): beach.mp4"),
      "\(outcome.standardError)")
    let status = try Program.sheaf.run(
      ["job", job, "--coordinator", origin, "--json"], in: folder.path)
    #expect(status.standardOutput.contains(#""completed":0"#), "\(status.standardOutput)")
  }

  @Test func `damage times count from the first instant of a file that starts late`() throws {
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", folder.path("beach.mp4"), "-c", "copy", "-output_ts_offset", "10",
        folder.path("late.mkv"),
      ])
    let failed = try render(Self.encoded, of: "late.mkv")
    #expect(failed.status == 1)
    #expect(
      failed.standardError.contains("the frame at 0.680 s is damaged (output frame 17): late.mkv"),
      "\(failed.standardError)")
    let concealed = try render(Self.encoded + #", "onDamage": "conceal""#, of: "late.mkv")
    let said = concealed.standardOutput + concealed.standardError
    #expect(
      said.contains("concealed: late.mkv at 0.680 s, in output frames 17 to 23"), "\(said)")
  }

  @Test func `a copied minute with every other frame damaged lists each damaged frame`() throws {
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=160x96:r=60", "-t", "60", "-c:v",
        "libx264", "-preset", "ultrafast", "-g", "1", "-pix_fmt", "yuv420p", "-bitexact",
        folder.path("minute.mp4"),
      ])
    try PacketPlaces.overwrite(stride(from: 1, to: 3600, by: 2), of: folder.path("minute.mp4"))
    let outcome = try render(Self.copied + #", "onDamage": "conceal""#, of: "minute.mp4")
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let said = (outcome.standardOutput + outcome.standardError).split(separator: "\n")
    let listed = said.filter { $0.hasPrefix("concealed: minute.mp4") }
    #expect(listed.count == 1800)
  }

  @Test func `damaged packets are copied unless the project says how to handle damage`() throws {
    let outcome = try render(Self.copied)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let hashes = try [folder.path("beach.mp4"), folder.path("out.mp4")].map { file in
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-i", file, "-map", "0:v", "-c", "copy", "-bsf:v",
          "h264_mp4toannexb,filter_units=remove_types=6-8", "-f", "md5", "-",
        ])
    }
    #expect(hashes[0] == hashes[1])
  }
}
