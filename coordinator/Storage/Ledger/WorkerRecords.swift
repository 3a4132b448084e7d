import Crypto
import Scheduling

/// The ledger's records of workers.
package protocol WorkerRecords {
  /// The workers that were known when the coordinator stopped.
  func workers() throws -> [WorkerEntry]

  /// Records the locations of assets.
  func keep(_ assets: [SharedAsset]) throws

  /// The location of an asset under a media root, if it is under one.
  func sharedAsset(_ digest: Digest) throws -> SharedAsset?
}
