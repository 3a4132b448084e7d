import Crypto
import FarmAPI
import Foundation
import Preparation
import Support
import Testing
import Timeline

/// Chunks that refer to assets, in the process that assembles them.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct AssemblyChildTests {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    for folder in ["planned", "frozen", "chunks", "file"] {
      try FileManager.default.createDirectory(
        atPath: scratch.path(folder), withIntermediateDirectories: true)
    }
  }

  /// The head of a plan of ten seconds.
  private func plan() async throws -> PlanSource {
    let project = #"{"version": 1, "sequence": [{"clip": "a.mp4"}]}"#
    try Data(project.utf8).write(to: URL(fileURLWithPath: scratch.path("project")))
    try MediaIndexFile.write(
      .clip(seconds: RationalTime(10), size: PixelSize(width: 320, height: 180)),
      to: scratch.path("index"))
    let clip = PlanningRequest.Source(
      name: "a.mp4", shown: "a.mp4", reference: AssetReference(digest: .of([1]), byteCount: 1),
      index: scratch.path("index"), image: nil)
    let request = PlanningRequest(
      project: scratch.path("project"), digest: .of(Data(project.utf8)), sources: [clip],
      unreadable: [:], absent: [], directory: scratch.path("planned"),
      frozen: scratch.path("frozen"), limits: PlanningLimits())
    let draft = try await ProjectPlanning(check: { _ in [] }, typeset: { _ in [] }).plan(request)
    let facts = try PlanFreezing.freeze(request.freezing(draft))
    return PlanSource(path: scratch.path("frozen/\(PlanWriter.planName)"), part: facts.head)
  }

  /// Appends a chunk that refers to a range of an asset. The job's chunks may refer to one asset.
  private func outcome(
    of piece: ReferenceTable.Piece, in digest: Digest
  ) async throws -> ChunkOutcome {
    let asset = Array("the bytes of an asset".utf8)
    let (file, list) = (scratch.path("asset"), scratch.path("asset.blocks"))
    try Data(asset).write(to: URL(fileURLWithPath: file))
    let blocks = BlockDigests.of(asset)
    try Data(blocks.stored).write(to: URL(fileURLWithPath: list))
    let known = ReferencedAsset(
      name: "a.mp4", digest: .of(asset),
      file: AssetFile(path: file, blocks: BlockList(path: list, digest: blocks.digest)))
    let table = ReferenceTable(file: digest, content: .of(asset), pieces: [piece])
    let chunk = scratch.path("chunks/chunk")
    try Data(table.encoded).write(to: URL(fileURLWithPath: chunk))
    let assembly = try await MediaChildren(limit: 1).assemble(
      AssemblyBeginning(
        plan: plan(), sound: nil, chunks: scratch.path("chunks"), assets: [known],
        output: scratch.path("file/out.mp4"), isDurable: false))
    let outcome = try await assembly.append(
      chunk: chunk, sha256: .of(table.encoded), frameCount: 250, referringTo: 21)
    await assembly.abandon()
    return outcome
  }

  @Test(
    arguments: [
      ("another asset", 0, "refers to bytes that its asset does not have"),
      ("the bytes of an asset", 1, "refers to bytes that its asset does not have"),
      // The right bytes, but they are no MP4 file.
      ("the bytes of an asset", 0, "cannot be read"),
    ] as [(String, Int64, String)])
  func `a chunk that refers to what it must not, or to what is no chunk, is refused`(
    asset: String, offset: Int64, problem: String
  ) async throws {
    let outcome = try await outcome(
      of: .referenced(offset: offset, count: 21), in: .of(Array(asset.utf8)))
    guard case .bad(let message) = outcome else {
      Issue.record("the chunk is not refused: \(outcome)")
      return
    }
    #expect(message.contains(problem))
    #expect(message.hasPrefix("the chunk of segment 0 "))
  }
}
