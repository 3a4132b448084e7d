import Crypto
import Foundation
import Scheduling

/// The ledger's records of kept, held and delivered chunks.
package protocol ChunkRecords {
  /// The kept chunks with the given content keys.
  ///
  /// - Parameter audience: the submitters whose jobs the chunks must have been delivered for.
  func keptChunks(
    under keys: [Digest], for audience: ReuseAudience
  ) throws -> [Digest: KeptChunk]

  /// The fingerprints of all kept chunks.
  func keptFingerprints() throws -> [String]

  /// The chunks that are kept only for later jobs, least recently used first.
  func spareChunks() throws -> [Digest]

  /// Stops keeping chunks for later jobs.
  func forget(_ chunks: [Digest]) throws

  /// Deletes records of kept chunks that no job has used since a date.
  ///
  /// - Returns: whether there may be more.
  func dropKeptChunks(unusedSince date: Date) throws -> Bool

  /// All uses that need a chunk's file, found through indexes.
  func uses(of chunk: Digest) throws -> [ChunkUse]

  /// The size of a segment's held chunk in bytes, or `nil` if the segment does not hold it.
  func byteCount(ofHeld chunk: Digest, _ segment: SegmentID) throws -> Int64?

  /// The segments that hold a chunk for an audit, each with the worker that delivered it.
  func holds(of chunk: Digest) throws -> [ConcernedHold]

  func distrustedWorkers() throws -> [WorkerIdentity]

  /// The reason why a worker is distrusted, or `nil` if it is trusted.
  func distrust(of worker: WorkerIdentity) throws -> String?

  /// Deletes the records of deliveries in a range of ids that nothing refers to: no segment of any job has the chunk,
  /// and it is neither held for an audit nor kept for later jobs. The deliverers of a finished job's chunks stay known.
  ///
  /// A ledger may have millions of records, and one call blocks all others.
  ///
  /// - Parameter id: the id after which the range begins.
  /// - Returns: the last id of the range, or `nil` if no record has a larger id than `id`.
  func dropUnneededDeliveries(after id: Int) throws -> Int?

  /// Finds where selected chunks are used.
  func chunks(of selection: ChunkSelection) throws -> ConcernedChunks
}
