import Crypto
import Preparation
import Threads

/// Reads stored assets that are uploaded again, to find out whether the upload is needed. Each asset is read once even
/// if several callers ask, and to its end even if all of them have stopped waiting.
final class AssetChecks: Sendable {
  private let assets: AssetStore
  private let threads: BlockingThreads
  /// The assets that are being read.
  private let running = SingleFlight<Digest, AssetProblem?>()
  /// At most two assets are read at a time, and at most one per caller.
  private let gate = FairGate(2)

  init(_ assets: AssetStore, threads: BlockingThreads) {
    (self.assets, self.threads) = (assets, threads)
  }

  /// The problem of a stored asset, or `nil` if it is sound. Reads the entire asset, unless it was found to be sound before
  /// and has not been written to since. A damaged one is in the quarantine when this returns.
  ///
  /// - Parameter caller: the name of the caller; reading is shared fairly between callers.
  /// - Throws: ``StorageError`` if the asset cannot be read now.
  func problem(of digest: Digest, for caller: String?) async throws -> AssetProblem? {
    let isKnown = try await threads.run { [assets] in assets.isKnownSound(digest) }
    if isKnown { return nil }
    return try await running.run(digest) { [gate, assets] in
      try await gate.run(for: caller) {
        try await BlockingThread.run(named: "asset") {
          // It may have been read while this call waited for its turn.
          try assets.isKnownSound(digest) ? nil : assets.inspect(digest).problem
        }
      }
    }
  }
}
