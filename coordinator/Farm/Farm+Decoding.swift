import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling

/// Segments whose frames are decoded ahead of the workers.
struct SegmentsToDecode: Sendable {
  /// The segments, with their parts of the plan's file, in the order of the file.
  var parts: [(segment: SegmentID, part: PlanPart)] = []
  /// The assets that they show.
  var assets: [Digest: AssetReference] = [:]
  /// The number of their output frames.
  var frameCount = 0
  /// The index of the first segment that was looked at.
  var first = 0
}

extension Farm {
  /// The maximum number of segments that one process decodes.
  private static let decodedSegments = 256
  /// The number of output frames after which a process is given no more segments. There are few, because segments that
  /// a worker begins in the meantime are decoded in vain.
  private static let decodedFrames = 150

  /// The maximum expected peak memory of a segment, in bytes, for which it is decoded on the coordinator's host.
  private static let decodedMemory = 2 << 30

  /// The number of segments that are looked up in the ledger before other calls are answered.
  private static let segmentsPerTurn = 16

  /// The last segments before `end` that wait for a worker.
  func segmentsToDecode(of id: JobID, before end: Int) async throws -> SegmentsToDecode {
    try Task.checkCancellation()
    var found = SegmentsToDecode()
    for index in (0..<end).reversed() {
      guard found.parts.count < Self.decodedSegments, found.frameCount < Self.decodedFrames else {
        return found
      }
      found.first = index
      let segment = SegmentID(job: id, index: index)
      guard scheduler.isPending(segment),
        (scheduler.memory(of: segment) ?? 0) <= Self.decodedMemory,
        let part = try ledger.planPart(of: segment)
      else {
        continue
      }
      for asset in try ledger.leasedAssets(of: segment) {
        found.assets[asset.digest] = asset.reference
      }
      found.parts.insert((segment, part), at: 0)
      found.frameCount += scheduler.frames(of: segment)?.count ?? 0
      if found.parts.count.isMultiple(of: Self.segmentsPerTurn) { try await letOthersIn() }
    }
    return found
  }

  /// Has a segment rendered next, because decoding it has found damage.
  func suspect(_ segment: SegmentID, because reason: String) {
    log.info("segment \(segment.index) is rendered next: \(reason)", .segment(segment))
    dispatch(.segmentSuspected(segment))
  }
}
