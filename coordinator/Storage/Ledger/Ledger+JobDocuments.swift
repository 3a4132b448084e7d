import Crypto
import FarmAPI
import Foundation
import Planning
import SQL
import Scheduling

/// Documents about jobs that clients get as they are.
extension Ledger {
  /// Stores a document, or removes it.
  package func keep(_ document: Data?, as kind: JobDocument, of id: JobID) throws {
    try keep(document, as: JobBlob(kind), of: id)
  }

  /// A document, if the ledger has it.
  package func document(_ kind: JobDocument, of id: JobID) throws -> Data? {
    try blob(JobBlob(kind), of: id)
  }

  /// The accepted chunk of a segment; `nil` if it has none.
  package func chunk(of segment: SegmentID) throws -> Digest? {
    let hex: String? =
      try database.first(
        "SELECT chunk_sha256 FROM segments WHERE job = ?1 AND number = ?2 AND state = 'completed'",
        segment.job.rawValue, segment.index
      ) { try $0.get(0, as: String?.self) } ?? nil
    return hex.flatMap { Digest(hex: $0) }
  }

  /// A page of a plan's segments, in order.
  package func planSegments(
    of id: JobID, after index: Int?, limit: Int
  ) throws -> [PlanSegment] {
    try database.rows(
      """
      SELECT segments.number AS number, first_frame, end_frame, cost, peak_memory, content, method,
        assets, fingerprint
      FROM segments JOIN jobs ON jobs.id = segments.job
      WHERE job = ?1 AND segments.number > ?2 ORDER BY segments.number LIMIT ?3
      """, id.rawValue, index ?? -1, limit
    ) { row in
      let (first, end): (Int, Int) = (try row.get("first_frame"), try row.get("end_frame"))
      let content: String? = try row.get("content")
      let assets: Data? = try row.get("assets")
      return PlanSegment(
        index: try row.get("number"), frames: first..<max(first, end),
        method: (try row.get("method") as String?).flatMap(SegmentMethod.init),
        cost: try row.get("cost"), memory: try row.get("peak_memory"),
        content: content.flatMap { Digest(hex: $0) }, assets: assets.map(Self.digests) ?? [],
        fingerprint: try row.get("fingerprint"))
    }
  }
}

extension JobBlob {
  fileprivate init(_ kind: JobDocument) {
    switch kind {
    case .timeline: self = .timeline
    case .waveform: self = .waveform
    }
  }
}
