import Crypto
import Foundation
import Planning

/// The digest of a plan's table of segments, computed record by record: each step hashes the digest so far and the
/// record's bytes.
package struct TableDigest: Hashable, Sendable {
  /// The digest of all records so far.
  package private(set) var digest = Digest.of([UInt8]())
  private var assetCount: Int64 = 0

  /// The digest of an empty table.
  package init() {}

  /// Appends a record.
  package mutating func add(_ record: PlannedSegment) {
    var bytes = SegmentTable.encode(record, assetsFrom: assetCount)
    // The records of earlier versions had no method, later no keyframe, and then no further reasons.
    if let method = record.method, !method.others.isEmpty {
      // More kinds may follow in later versions.
      while bytes.last == 0 { bytes.removeLast() }
    } else {
      bytes.removeLast(SegmentTable.othersLength)
      if record.method?.keyframe == nil { bytes.removeLast(record.method == nil ? 24 : 16) }
    }
    digest = Digest.of(digest.bytes + bytes + record.assets.flatMap(\.bytes))
    assetCount += Int64(record.assets.count)
  }
}
