import Crypto
import FarmAPI
import Foundation
import Preparation
import ProjectFormat
import Support
import Testing
import Timeline

/// The limits on the cost of projects and their media, in real processes. Each error names the limit that was reached.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct PlanningLimitTests {
  private let scratch: TemporaryDirectory
  private let children = MediaChildren(limit: 2, executable: Program.mediaChildren)

  init() throws { scratch = try TemporaryDirectory() }

  private func planning(
    _ project: String, _ sources: [PlanningRequest.Source] = [], _ limits: PlanningLimits,
    damage: (String) throws -> Void = { _ in }
  ) async throws -> PlanFacts {
    let path = scratch.path("project")
    try Data(project.utf8).write(to: URL(fileURLWithPath: path))
    try damage(path)
    let (output, frozen) = (scratch.path("output"), scratch.path("frozen"))
    for directory in [output, frozen] {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
    }
    return try await children.plan(
      PlanningRequest(
        project: path, digest: .of(Data(project.utf8)), sources: sources, unreadable: [:],
        absent: [], directory: output, frozen: frozen, limits: limits), for: nil)
  }

  @Test(arguments: ["flipped", "cut", "gone"])
  func `a project that changed on disk is not planned`(_ damage: String) async throws {
    let error = try await #require(throws: JobError.self) {
      try await planning(Self.clip("a.mp4"), [], PlanningLimits()) { path in
        switch damage {
        case "flipped": try FileDamage.flipBit(of: path)
        case "cut": truncate(path, 10)
        default: unlink(path)
        }
      }
    }
    #expect(error.failure.code == "damaged-project")
  }

  private func file(_ name: String, _ bytes: Data) throws -> AssetReference {
    let path = scratch.path(name)
    try bytes.write(to: URL(fileURLWithPath: path))
    return AssetReference(digest: .of(bytes), byteCount: Int64(bytes.count))
  }

  @Test func `a project that needs too much memory fails, and the error names the limit`()
    async throws
  {
    var limits = PlanningLimits()
    limits.memory = 512 << 20
    limits.values = .max / 16
    let values = Array(repeating: "[[[]]]", count: 4_000_000).joined(separator: ",")
    let submission = scratch.path("submission")
    let body = try FarmCoding.encode(
      JobSubmission(name: "cut", project: "{\"version\": [\(values)]}", assets: [:]))
    try body.write(to: URL(fileURLWithPath: submission))
    let error = try await #require(throws: JobError.self) {
      try await children.read(
        ReadingRequest(
          submission: submission, digest: .of(body), directory: scratch.path, depth: 32,
          byteLimit: 64 << 20, limits: limits), for: nil)
    }
    #expect(error.failure.code == "limit-reached")
    #expect(error.failure.message.contains("(--max-planning-memory)"), "\(error)")
  }

  @Test func `the error for a layer that takes too long names the layer and the limit`()
    async throws
  {
    let filters = String(
      repeating: """
        <feTurbulence baseFrequency="0.9" numOctaves="400"/><feGaussianBlur stdDeviation="900"/>
        """, count: 40)
    let svg = """
      <svg xmlns="http://www.w3.org/2000/svg" width="3000" height="3000">
      <filter id="f" x="0" y="0" width="1" height="1">\(filters)</filter>
      <rect width="3000" height="3000" filter="url(#f)"/></svg>
      """
    let image = try file("logo.svg", Data(svg.utf8))
    let still = scratch.path("index")
    try MediaIndexFile.write(
      .clip(seconds: RationalTime(1), size: PixelSize(width: 64, height: 64)), to: still)
    let clip = try file("a.mp4", Data("a clip".utf8))
    var limits = PlanningLimits()
    limits.seconds = 2
    let error = try await #require(throws: JobError.self) {
      try await planning(
        """
        {"version": 1, "sequence": [{"clip": "a.mp4"}], "animation": {"layers": [
          {"type": "image", "asset": "logo.svg",
           "bounds": {"x": 0, "y": 0, "width": 3000, "height": 3000}}]}}
        """,
        [
          PlanningRequest.Source(
            name: "a.mp4", shown: "a.mp4", reference: clip, index: still, image: nil),
          PlanningRequest.Source(
            name: "logo.svg", shown: "logo.svg", reference: image, index: nil,
            image: AssetFile(path: scratch.path("logo.svg"))),
        ], limits)
    }
    #expect(error.failure.code == "limit-reached")
    #expect(error.failure.message.contains("(--max-planning-seconds)"), "\(error)")
    #expect(error.failure.message.contains("animation.layers[0]"), "\(error)")
  }

  /// Indexes a file, which must fail, and returns the error.
  private func failure(of request: ProbeRequest, by children: MediaChildren) async throws
    -> JobError
  {
    let errors = try await children.index([request], in: scratch.path, for: nil) { _, _ in
      Issue.record("there is an index")
    }
    return try #require(errors[0])
  }

  @Test(arguments: [
    ("kill -XCPU $$", "(--max-probe-seconds)"), ("exit 77", "(--max-planning-memory)"),
    ("kill -XFSZ $$", "(--max-index-bytes)"),
  ])
  func `the error for an asset that exceeds a probing limit names the asset and the limit`(
    ending: String, option: String
  ) async throws {
    let children = MediaChildren(
      limit: 1, executable: try scratch.script(ending))
    let error = try await failure(
      of: ProbeRequest(path: "x", name: "holiday.mp4"), by: children)
    #expect(error.failure.code == "limit-reached")
    #expect(error.failure.message.hasPrefix("holiday.mp4: "))
    #expect(error.failure.message.contains(option), "\(error)")
  }

  @Test func `no index is written for a file with too many frames`() async throws {
    let clip = scratch.path("clip.mp4")
    try SolidClip(color: (90, 128, 128), frameCount: 9, width: 32, height: 32).write(to: clip)
    var request = ProbeRequest(path: clip, name: "clip.mp4")
    request.limits.frames = 8
    let error = try await failure(of: request, by: children)
    #expect(error.failure.code == "limit-reached")
    #expect(error.failure.message.hasPrefix("clip.mp4: its media index has 9 frames"))
    #expect(error.failure.message.contains("(--max-index-frames)"), "\(error)")
  }

  /// Reads a project in a real process.
  private func reading(
    _ project: String, assets: [String: AssetReference] = [:], isFlipped: Bool = false
  ) async throws -> SubmissionFacts {
    let body = try FarmCoding.encode(
      JobSubmission(name: "cut", project: project, assets: assets))
    return try await reading(body, isFlipped: isFlipped)
  }

  private func reading(_ body: Data, isFlipped: Bool = false) async throws -> SubmissionFacts {
    let submission = scratch.path("submission")
    try body.write(to: URL(fileURLWithPath: submission))
    if isFlipped { try FileDamage.flipBit(of: submission) }
    return try await children.read(
      ReadingRequest(
        submission: submission, digest: .of(body), directory: scratch.path, depth: 32,
        byteLimit: 64 << 20, limits: PlanningLimits()), for: nil)
  }

  @Test(arguments: [
    ("{}", "\"name\" is missing"),
    ("{\"name\": 1}", "name: the value has the wrong type"),
    ("{\"name\": null}", "name: a value is missing"),
  ])
  func `an invalid submission is refused with the problem and its place`(
    body: String, problem: String
  ) async throws {
    let error = try await #require(throws: JobError.self) {
      try await reading(Data(body.utf8))
    }
    #expect(error.failure.code == .malformedRequest)
    #expect(error.failure.message == "the submission is invalid: \(problem)")
  }

  @Test func `a submission that changed on disk is not read`() async throws {
    let error = try await #require(throws: JobError.self) {
      try await reading(Self.clip("a.mp4"), isFlipped: true)
    }
    #expect(error.failure.code == .damagedSubmission)
  }

  private static func clip(_ path: String) -> String {
    "{\"version\": 1, \"sequence\": [{\"clip\": \"\(path)\"}]}"
  }

  @Test(arguments: [
    clip(String(repeating: "a", count: 10_000)),
    "{\"version\": 1, \"sequence\": [], \"\(String(repeating: "k", count: 10_000))\": 1}",
    "{\"version\": 1, \"assets\": {\"\(String(repeating: "n", count: 10_000))\": {\"path\": \"a\"}}}",
  ])
  func `an overlong path, key or asset name is refused with a short message`(
    project: String
  ) async throws {
    let error = try await #require(throws: ProjectError.self) { try await reading(project) }
    #expect(error.findings.count == 1)
    #expect(
      error.description.contains("has 10000 bytes, more than the limit of 4096"), "\(error)")
    #expect(error.description.utf8.count < 1024)
  }

  @Test func `an overlong path on the coordinator's disk is refused`() async throws {
    let reference = AssetReference(
      digest: .of([1]), byteCount: 1, path: String(repeating: "p", count: 4097))
    let error = try await #require(throws: JobError.self) {
      try await reading(Self.clip("a.mp4"), assets: ["a.mp4": reference])
    }
    #expect(error.failure.code == .malformedRequest)
    #expect(error.failure.message.utf8.count < 1024)
  }

  @Test func `the total length of all paths is limited`() async throws {
    let clips = (0..<3000).map { number in
      let path = String(repeating: "p", count: 4000) + "\(number)"
      return "{\"clip\": \"\(path)\"}"
    }
    let error = try await #require(throws: JobError.self) {
      try await reading("{\"version\": 1, \"sequence\": [\(clips.joined(separator: ","))]}")
    }
    #expect(error.failure.code == "limit-reached")
    #expect(error.failure.message.contains("more than the limit of 8388608"), "\(error)")
  }

  @Test func `findings with long keys make a message of at most 64 KiB that counts the rest`()
    async throws
  {
    let keys = (0..<150).map { "\"\($0)\(String(repeating: "k", count: 4000))\": 1" }
    let error = try await #require(throws: ProjectError.self) {
      try await reading("{\"version\": 1, \"sequence\": [], \(keys.joined(separator: ", "))}")
    }
    #expect(error.description.utf8.count <= 64 << 10)
    #expect(error.lines.allSatisfy { $0.utf8.count <= 1024 })
    #expect(error.omittedCount > 0)
    // The empty sequence is one more.
    #expect(error.findings.count + error.omittedCount == 151)
    #expect(error.lines.last?.hasPrefix("\(error.omittedCount) more problems") == true)
  }

  @Test func `an index with too many frames is not read`() async throws {
    let index = scratch.path("index")
    try MediaIndexFile.write(.clip(seconds: RationalTime(1)), to: index)
    let clip = try file("a.mp4", Data("a clip".utf8))
    let source = PlanningRequest.Source(
      name: "a.mp4", shown: "a.mp4", reference: clip, index: index, image: nil)
    let project = "{\"version\": 1, \"sequence\": [{\"clip\": \"a.mp4\"}]}"
    var limits = PlanningLimits()
    limits.frames = 24
    let error = try await #require(throws: JobError.self) {
      try await planning(project, [source], limits)
    }
    // The code for a damaged index would cause all of the job's indexes to be rebuilt.
    #expect(error.failure.code == "limit-reached")
    #expect(error.failure.message.hasPrefix("a.mp4: "))
    #expect(error.failure.message.contains("(--max-index-frames)"), "\(error)")
    limits.frames = 25
    #expect(try await planning(project, [source], limits).frameCount == 25)
  }
}
