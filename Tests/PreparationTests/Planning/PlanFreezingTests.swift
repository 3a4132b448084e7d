import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Support
import Testing
import Timeline

/// The process that plans a project decides only the segments. Everything else in the plan is computed from them.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct PlanFreezingTests {
  private static let project = """
    {"version": 1, "sequence": [
      {"clip": "a.mp4", "out": 6}, {"transition": "dissolve", "duration": 1},
      {"clip": "a.mp4", "in": 4}],
     "export": {"preset": "highestQuality"}}
    """

  private let scratch: TemporaryDirectory
  private var planned: String { scratch.path("planned") }
  private var frozen: String { scratch.path("frozen") }
  private var forged: String { scratch.path("forged") }

  init() throws {
    scratch = try TemporaryDirectory()
    for directory in [planned, frozen, forged] {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
    }
  }

  private static func clip() throws -> MediaIndex {
    try .clip(seconds: RationalTime(10), size: PixelSize(width: 320, height: 180))
  }

  private func request(
    _ project: String, in directory: String, _ clip: MediaIndex? = nil
  ) throws -> PlanningRequest {
    let (path, index) = (scratch.path("project"), scratch.path("index"))
    try Data(project.utf8).write(to: URL(fileURLWithPath: path))
    try MediaIndexFile.write(clip ?? Self.clip(), to: index)
    let clip = PlanningRequest.Source(
      name: "a.mp4", shown: "a.mp4", reference: AssetReference(digest: .of([1]), byteCount: 1),
      index: index, image: nil)
    return PlanningRequest(
      project: path, digest: .of(Data(project.utf8)), sources: [clip], unreadable: [:], absent: [],
      directory: directory,
      frozen: frozen, limits: PlanningLimits())
  }

  /// Writes the draft of a project into the directory of a planning process.
  private func draft(_ project: String, in directory: String) async throws -> FreezingRequest {
    let request = try request(project, in: directory)
    return request.freezing(
      try await ProjectPlanning(check: { _ in [] }, typeset: { _ in [] }).plan(request))
  }

  private func records(in directory: String) throws -> [PlannedSegment] {
    try SegmentTable(
      "\(directory)/\(PlanWriter.tableName)", assets: "\(directory)/\(PlanWriter.assetsName)"
    ).records(from: 0)
  }

  @Test func `content keys come from what is leased, not from what the planning process wrote`()
    async throws
  {
    // The table of another plan, which the planning process passes off as its own.
    var other = try await draft(
      #"{"version": 1, "sequence": [{"clip": "a.mp4", "speed": 2}]}"#, in: forged)
    other.directory = forged
    _ = try PlanFreezing.freeze(other)
    let foreign = try records(in: forged)
    // The draft also has members that belong in a lease.
    let honest = try await draft(Self.project, in: forged)
    let plan = try FarmCoding.decode(
      Plan.self, from: Data(contentsOf: URL(fileURLWithPath: honest.draft)))
    let text = try String(contentsOfFile: honest.draft, encoding: .utf8)
      .replacing(#""segments":[{"#, with: #""segments":[{"token":"forged","content":"forged","#)
    try #require(text.contains("forged"))
    try Data(text.utf8).write(to: URL(fileURLWithPath: honest.draft))
    let answer = scratch.path("answer")
    try FarmCoding.encode(ChildAnswer.drafted(.of(Data(text.utf8))))
      .write(to: URL(fileURLWithPath: answer))
    let children = MediaChildren(
      limit: 1,
      executable: try scratch.script(
        """
        if [ "$1" = plan ]; then
          receive; cp \(forged)/* \(planned); answer "$(cat \(answer))"; exec sleep 1000
        fi
        exec '\(Program.media.path)' "$@"
        """))
    let facts = try await children.plan(request(Self.project, in: planned), for: nil)

    let found = try records(in: frozen)
    #expect(facts.segmentCount == plan.segments.count)
    try #require(found.count == plan.segments.count)
    for (record, segment) in zip(found, plan.segments) {
      let bytes = try record.part.read(from: "\(frozen)/\(PlanWriter.planName)")
      let leased = try FarmCoding.decode(LeasedContent.self, from: bytes)
      #expect(leased.description == segment)
      #expect(
        try FarmCoding.encode(leased) == bytes, "it has members that are not part of the plan")
      #expect(try record.content == SegmentContent(segment).digest)
      #expect(record.frames == segment.first..<segment.end)
      #expect(record.cost == segment.expectedCost)
      #expect(record.peakMemory == segment.peakMemory)
      #expect(Set(record.assets) == Set(segment.sources.map(\.asset)))
    }
    #expect(Set(found.map(\.content)).isDisjoint(with: foreign.map(\.content)))
    #expect(try facts.hash == plan.hash())
  }

  @Test func `a draft that changes on disk is not frozen`() async throws {
    let request = try await draft(Self.project, in: planned)
    #expect(throws: Never.self) { try PlanFreezing.freeze(request) }
    let text = try String(contentsOfFile: request.draft, encoding: .utf8)
    let changed = text.replacing(#""width":320"#, with: #""width":322"#)
    try #require(changed != text)
    try Data(changed.utf8).write(to: URL(fileURLWithPath: request.draft))
    let error = try #require(throws: JobError.self) { try PlanFreezing.freeze(request) }
    #expect(error.failure.code == .readFailed)
  }

  @Test func `a plan's file is identified by the digest of its bytes`() async throws {
    let facts = try await PlanFreezing.freeze(draft(Self.project, in: planned))
    #expect(try facts.file == Digest.of(file: "\(frozen)/\(PlanWriter.planName)"))
    var table = TableDigest()
    for record in try records(in: frozen) { table.add(record) }
    #expect(table.digest == facts.table)
  }

  @Test(arguments: [false, true])
  func `chunks refer to assets if the coordinator has them on its disk`(
    hasAssets: Bool
  ) async throws {
    var clip = try Self.clip()
    clip.video[0].codec = "hevc"
    clip.video[0].copying = CopyPoints(
      starts: Array(stride(from: 0, to: 250, by: 25)), ends: Array(1...250), delay: 0)
    var request = try request(
      #"{"version": 1, "sequence": [{"clip": "a.mp4", "in": "1/5"}]}"#, in: planned, clip)
    request.hasAssetsOnDisk = hasAssets
    let draft = try await ProjectPlanning(check: { _ in [] }, typeset: { _ in [] }).plan(request)
    let facts = try PlanFreezing.freeze(request.freezing(draft))
    let leased = try records(in: frozen).map { record in
      try FarmCoding.decode(
        LeasedContent.self, from: record.part.read(from: "\(frozen)/\(PlanWriter.planName)")
      ).description
    }
    let copied = leased.compactMap(\.copy)
    #expect(!copied.isEmpty && copied.count < leased.count)
    #expect(copied.allSatisfy { $0.refersToSource == (hasAssets ? true : nil) })
    let asset = PlanFacts.CopiedAsset(asset: .of([1]))
    #expect(facts.copiedAssets == (hasAssets ? [asset] : nil))
    #expect(facts.withoutLists.copiedAssets == (hasAssets ? [] : nil))
  }

  @Test func `chunks do not refer to excerpts of recordings`() async throws {
    var clip = try Self.clip()
    clip.video[0].codec = "hevc"
    clip.video[0].copying = CopyPoints(starts: [0], ends: [250], delay: 0)
    let request = try request(
      #"{"version": 1, "sequence": [{"clip": "a.mp4"}]}"#, in: planned, clip)
    var freezing = request.freezing(
      try await ProjectPlanning(check: { _ in [] }, typeset: { _ in [] }).plan(request))
    // The source becomes one that is not an asset of the submission.
    var plan = try FarmCoding.decode(
      Plan.self, from: Data(contentsOf: URL(fileURLWithPath: freezing.draft)))
    try #require(plan.segments.contains { $0.copy != nil })
    for number in plan.segments.indices { plan.segments[number].sources[0].byteCount = 1 }
    let draft = try FarmCoding.encode(plan)
    try draft.write(to: URL(fileURLWithPath: freezing.draft))
    (freezing.digest, freezing.hasAssetsOnDisk) = (.of(draft), true)
    #expect(try PlanFreezing.freeze(freezing).copiedAssets == nil)
  }
}
