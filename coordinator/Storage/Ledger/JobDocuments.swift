import Crypto
import FarmAPI
import Foundation
import Planning
import Scheduling

/// A document about a job that clients get as the ledger stores it: JSON.
package enum JobDocument: String, Sendable, CaseIterable {
  /// The job's `JobTimeline`, made when it was planned.
  case timeline = "timeline"
  /// The `Waveform` of its sound, made when it was mixed.
  case waveform = "waveform"
}

/// The ledger's documents about jobs, and its record of plans as clients read it.
package protocol JobDocuments {
  /// Stores a document, or removes it.
  func keep(_ document: Data?, as kind: JobDocument, of id: JobID) throws

  /// A document, if the ledger has it.
  func document(_ kind: JobDocument, of id: JobID) throws -> Data?

  /// The accepted chunk of a segment; `nil` if it has none.
  func chunk(of segment: SegmentID) throws -> Digest?

  /// A page of a plan's segments, in order.
  ///
  /// - Parameters:
  ///   - index: return only the segments after this one.
  ///   - limit: the maximum number of segments.
  func planSegments(of id: JobID, after index: Int?, limit: Int) throws -> [PlanSegment]
}

extension PlanSegment {
  /// A segment of a plan.
  ///
  /// - Parameters:
  ///   - memory: the expected peak memory in bytes; 0 if unknown.
  ///   - fingerprint: the fingerprint of the workers that serve the job, once known.
  package init(
    index: Int, frames: Range<Int>, method: SegmentMethod?, cost: Int64, memory: Int,
    content: Digest?, assets: [Digest], fingerprint: String?
  ) {
    self.init(
      index: index, first: frames.lowerBound, end: frames.upperBound,
      kind: method.map { $0.isCopied ? .copied : .encoded }, reason: method?.reason, cost: cost,
      memory: memory > 0 ? memory : nil, content: content, assets: assets)
    if let content, let fingerprint {
      contentKey = try? SegmentContent(digest: content).key(fingerprint: fingerprint)
    }
  }
}
