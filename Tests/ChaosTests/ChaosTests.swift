import Crypto
import Foundation
import Support
import Testing

/// Renders on a farm that is broken at random, time and again.
///
/// `SHEAF_CHAOS_FAULTS` and `SHEAF_CHAOS_SEED` say how often and how; `SHEAF_CHAOS_REPORT` names a file for the report.
struct ChaosTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let workerCount = 3
  /// The kinds of `SHEAF_CHAOS_KINDS`, by their names in the code, or all.
  private static let kinds: [Fault] = {
    let names = environment["SHEAF_CHAOS_KINDS"]?.split(separator: ",").map(String.init)
    return Fault.allCases.filter { names?.contains("\($0)") ?? true }
  }()

  @Test func `a farm under faults of every kind delivers the file of an undisturbed one`() throws {
    let seed = Self.environment["SHEAF_CHAOS_SEED"].flatMap { UInt64($0) } ?? 1
    let count = Self.environment["SHEAF_CHAOS_FAULTS"].flatMap { Int($0) } ?? 20
    let hasDisks = SmallDisk.isAvailable
    if !hasDisks { print("chaos: not root, so no disk is filled") }
    let kinds = Self.kinds.filter { hasDisks || !$0.needsDisk }
    let schedule = ScheduledFault.schedule(
      seed: seed, count: count, kinds: kinds,
      workers: Self.workerCount)
    let footage = try ChaosFootage()
    var report = ChaosReport(seed: seed)
    var rest = schedule[...]
    while !rest.isEmpty {
      let begin = rest.startIndex
      let round = try ChaosRound(footage, workerCount: Self.workerCount, hasDisks: hasDisks)
      try round.run(&rest, &report)
      let struck = schedule[begin..<rest.startIndex].map(\.description).joined(separator: "\n")
      #expect(
        report.problems.isEmpty,
        "seed \(seed), faults from number \(begin):\n\(struck)\n\(round.lastWords)")
      if !report.problems.isEmpty { break }
    }
    // So many that no kind can have missed every time by chance.
    if count >= 10 * kinds.count {
      for kind in kinds { #expect(report.met[kind, default: 0] > 0, "\(kind) met nothing") }
    }
    print(report.markdown)
    if let path = Self.environment["SHEAF_CHAOS_REPORT"] {
      try report.markdown.write(toFile: path, atomically: true, encoding: .utf8)
    }
  }
}

/// What the farms render: fifteen clips with transitions, and the SHA-256 of the file that an undisturbed farm makes.
struct ChaosFootage {
  private let folder: TemporaryDirectory
  let digest: Digest
  var project: String { folder.path("cut.json") }

  init() throws {
    folder = try TemporaryDirectory()
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25", "-f", "lavfi",
        "-i", "sine=frequency=440:sample_rate=48000", "-t", "30", "-c:v", "libx264", "-preset",
        "veryfast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-bitexact", folder.path("clip.mp4"),
      ])
    let clips = (0..<15).map { #"{"clip": "clip.mp4", "in": \#(2 * $0), "out": \#(2 * $0 + 2)}"# }
    let sequence = clips.joined(separator: #", {"transition": "dissolve", "duration": "2/5"}, "#)
    try """
    {"version": 1, "sequence": [\(sequence)],
     "export": {"preset": "highestQuality",
       "video": {"codec": "h264", "encoderPreset": "veryslow"}}}
    """.write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
    let outcome = try Program.sheaf.run(
      ["render", "cut.json", "-o", "out.mp4", "--workers", "2"], in: folder.path)
    try #require(outcome.status == 0, "\(outcome.standardError)")
    digest = try Digest.of(file: folder.path("out.mp4"))
  }
}
