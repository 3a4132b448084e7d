import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import ProjectFormat
import Support
import Testing
import Timeline

/// A file that the system cannot read or write is not an error of the project, so the job is tried again.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct SystemErrorTests {
  private let scratch: TemporaryDirectory
  private let children = MediaChildren(limit: 2, executable: Program.mediaChildren)

  init() throws { scratch = try TemporaryDirectory() }

  private func makeDirectory(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  private func planning(
    _ project: String, _ digest: Digest, sources: [PlanningRequest.Source] = []
  ) throws -> PlanningRequest {
    let (planned, frozen) = (scratch.path("planned"), scratch.path("frozen"))
    try makeDirectory(planned)
    try makeDirectory(frozen)
    return PlanningRequest(
      project: project, digest: digest, sources: sources, unreadable: [:], absent: [],
      directory: planned, frozen: frozen, limits: PlanningLimits())
  }

  private func reading(_ submission: String, _ digest: Digest) -> ReadingRequest {
    ReadingRequest(
      submission: submission, digest: digest, directory: scratch.path, depth: 32,
      byteLimit: 1 << 20, limits: PlanningLimits())
  }

  // MARK: Reading

  /// An input file that cannot be read.
  enum Input: CaseIterable, Sendable {
    case missing, directory, linkToItself
    /// The system refuses to look up its name, which is too long, so the error says nothing about the file.
    case unopenable
  }

  /// The path of an input file.
  private func path(of input: Input) throws -> String {
    let path = scratch.path("input")
    switch input {
    case .missing: break
    case .directory: try makeDirectory(path)
    case .linkToItself:
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    case .unopenable: return scratch.path(String(repeating: "i", count: 300))
    }
    return path
  }

  @Test(arguments: Input.allCases)
  func `only a missing project counts as damaged`(input: Input) async throws {
    let code: FailureCode =
      input == .unopenable ? .readFailed : .damagedProject
    let request = try planning(path(of: input), Digest.of(Data()))
    let planner = ProjectPlanning(check: { _ in [] }, typeset: { _ in [] })
    let error = try await #require(throws: JobError.self) { try await planner.plan(request) }
    #expect(error.failure.code == code)
  }

  @Test(arguments: Input.allCases)
  func `only a missing submission counts as damaged`(input: Input) throws {
    let code: FailureCode =
      input == .unopenable ? .readFailed : .damagedSubmission
    let request = reading(try path(of: input), Digest.of(Data()))
    let error = try #require(throws: JobError.self) { try SubmissionReading.read(request) }
    #expect(error.failure.code == code)
  }

  @Test(arguments: Input.allCases)
  func `a draft that is missing or unreadable can be read again later`(input: Input) throws {
    let request = FreezingRequest(
      draft: try path(of: input), digest: Digest.of(Data()), directory: scratch.path,
      limits: PlanningLimits(), hasAssetsOnDisk: true)
    let error = try #require(throws: JobError.self) { try PlanFreezing.freeze(request) }
    #expect(error.failure.code == .readFailed)
  }

  // MARK: Writing

  @Test(arguments: [true, false])
  func `failing to write a project's text is a disk error`(isFull: Bool) throws {
    let project = #"{"version": 1, "sequence": [{"clip": "a.mp4"}]}"#
    let body = try FarmCoding.encode(JobSubmission(name: "cut", project: project, assets: [:]))
    let submission = scratch.path("submission")
    try body.write(to: URL(fileURLWithPath: submission))
    let output = scratch.path(ReadingRequest.projectName)
    if isFull {
      try #require(symlink("/dev/full", output) == 0)
    } else {
      try makeDirectory(output)
    }
    let request = reading(submission, Digest.of(body))
    let error = try #require(throws: JobError.self) { try SubmissionReading.read(request) }
    #expect(error.failure.code == (isFull ? .diskFull : .writeFailed))
  }

  // MARK: Drawing in real processes

  /// The name of the file that a process writes its first picture to.
  private static let picture = "raster-1.part"

  private func draw(in directory: String) async throws {
    let layer = RasterRequest(
      path: LayerPath([0]), content: .solid(.black),
      bounds: PixelRect(x: 0, y: 0, width: 8, height: 8), scale: 1)
    _ = try await children.typeset(
      TypesetRequest(rasters: [layer], files: [:], root: "animation", directory: directory))
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"))
  func `a layer that is drawn on a full disk waits for space`() async throws {
    let disk = try SmallDisk(mebibytes: 1)
    defer { withExtendedLifetime(disk) {} }
    try disk.fill()
    let error = try await #require(throws: JobError.self) {
      try await draw(in: disk.directory.path)
    }
    #expect(error.failure.code == .diskFull)
  }

  @Test func `a layer whose picture cannot be written is not a finding`() async throws {
    try makeDirectory(scratch.path(Self.picture))
    let error = try await #require(throws: JobError.self) { try await draw(in: scratch.path) }
    #expect(error.failure.code == .writeFailed)
  }

  @Test func `a project whose picture cannot be written is not invalid`() async throws {
    let text = Data(
      #"""
      {"version": 1, "sequence": [{"clip": "a.mp4", "out": 1}],
       "animation": {"layers": [
         {"type": "solid", "color": "#ff0000",
          "bounds": {"x": 0, "y": 0, "width": 8, "height": 8}}]}}
      """#.utf8)
    let (project, index) = (scratch.path("text"), scratch.path("index"))
    try text.write(to: URL(fileURLWithPath: project))
    try MediaIndexFile.write(
      .clip(seconds: RationalTime(10), size: PixelSize(width: 320, height: 180)), to: index)
    let clip = PlanningRequest.Source(
      name: "a.mp4", shown: "a.mp4",
      reference: AssetReference(digest: Digest.of(Data("a clip".utf8)), byteCount: 6),
      index: index, image: nil)
    let request = try planning(project, Digest.of(text), sources: [clip])
    try makeDirectory("\(request.directory)/\(Self.picture)")
    let error = try await #require(throws: JobError.self) {
      try await children.plan(request, for: nil)
    }
    #expect(error.failure.code == .writeFailed)
  }
}
