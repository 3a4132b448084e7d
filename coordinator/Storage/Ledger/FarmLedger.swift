import Crypto
import Planning
import Scheduling

/// The permanent state of a farm, in which every change is one transaction.
///
/// The farm depends on this interface alone, so that a ledger in another database can replace ``Ledger``.
package protocol FarmLedger: TransitionStore, JobRecords, PlanRecords, SegmentRecords, ChunkRecords,
  AssetRecords, WorkerRecords, AttemptRecords, NotificationRecords, RecordingRecords,
  JobDocuments
{
  /// The ledger as it is now, to be read on another thread; `nil` if only its own thread can read it.
  var snapshot: (any LedgerSnapshot)? { get }

  /// The reasons why this process must not use the ledger any more, for example because another coordinator has taken it
  /// over; `nil` if there are none.
  var losses: AsyncStream<String>? { get }

  /// Whether this process certainly still owns the ledger. Can be called on any thread.
  var isOwned: @Sendable () -> Bool { get }

  /// The position of a ledger on a server, which may lose commits in a failover; `nil` for any other ledger, or if it was
  /// opened for reading.
  var position: LedgerPosition? { get }

  func close()
}

extension FarmLedger {
  package var losses: AsyncStream<String>? { nil }

  package var isOwned: @Sendable () -> Bool { { true } }

  package var position: LedgerPosition? { nil }

  /// The size in bytes of all assets of a submitter.
  package func assetByteCount(of owner: String) throws -> Int64 {
    try assetByteCount(of: owner, besides: nil)
  }

  /// The kept chunks with the given content keys, whoever they were delivered for.
  package func keptChunks(under keys: [Digest]) throws -> [Digest: KeptChunk] {
    try keptChunks(under: keys, for: .anyone)
  }
}

extension Ledger: FarmLedger {}
