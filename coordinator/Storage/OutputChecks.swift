import Crypto
import Preparation
import Threads

/// Compares finished files with their digests before they are sent. Each file is read once, whoever asks for it meanwhile,
/// and to its end even if nobody waits any more, so that a client that has given up finds the result when it asks again.
final class OutputChecks: Sendable {
  private struct Key: Hashable, Sendable {
    let path: String
    let digest: Digest
  }

  private let outputs: OutputStore
  private let threads: BlockingThreads
  /// The files that are being read.
  private let running = SingleFlight<Key, OutputStore.Verdict>()
  /// Two files are read at a time, and one of each caller.
  private let gate = FairGate(2)

  init(_ outputs: OutputStore, threads: BlockingThreads) {
    (self.outputs, self.threads) = (outputs, threads)
  }

  /// Checks whether a finished file matches its digest. Reads the entire file, unless it was found to match before and has
  /// not been written to since.
  ///
  /// - Parameter caller: the name of the one who asks; reading is shared fairly between callers.
  /// - Throws: ``StorageError`` if the file is there and cannot be read now.
  func check(
    _ path: String, _ digest: Digest, for caller: String?
  ) async throws -> OutputStore.Verdict {
    let isKnown = try await threads.run { [outputs] in outputs.isKnownSound(path, digest) }
    if isKnown { return .sound }
    return try await running.run(Key(path: path, digest: digest)) { [gate, outputs] in
      try await gate.run(for: caller) {
        try await BlockingThread.run(named: "output") {
          // It may have been read while this waited for its turn.
          outputs.isKnownSound(path, digest) ? .sound : try outputs.inspect(path, digest)
        }
      }
    }
  }
}
