import Crypto
import Preparation
import Synchronization
import Threads

/// Compares finished files with their digests before they are sent. Each file is read once even if several callers ask
/// for it, and to its end even if all of them have stopped waiting, so that a client that has given up gets the result
/// when it asks again.
final class OutputChecks: Sendable {
  private struct Key: Hashable, Sendable {
    let output: StoredObject
    let digest: Digest
  }

  private let outputs: OutputStore
  private let threads: BlockingThreads
  /// The files that are being read.
  private let running = SingleFlight<Key, OutputStore.Verdict>()
  /// At most two files are read at a time, and at most one per caller.
  private let gate = FairGate(2)
  private let totalBytesRead = Atomic<Int64>(0)

  init(_ outputs: OutputStore, threads: BlockingThreads) {
    (self.outputs, self.threads) = (outputs, threads)
  }

  /// The number of bytes that all checks have read. It stops growing only if the disk stops, even while a check waits
  /// for its turn.
  var bytesRead: Int64 { totalBytesRead.load(ordering: .relaxed) }

  /// Checks whether a finished file matches its digest. Reads the entire file, unless it was found to match before and has
  /// not been written to since.
  ///
  /// - Parameters:
  ///   - caller: the name of the caller; reading is shared fairly between callers.
  ///   - wait: the maximum time to wait for the result; `nil` to wait until it is available.
  /// - Returns: the result, or `nil` if the check takes longer; the check continues in that case.
  /// - Throws: ``StorageError`` if the file exists but cannot be read now.
  func check(
    _ output: StoredObject, _ digest: Digest, for caller: String?, within wait: Duration?
  ) async throws -> OutputStore.Verdict? {
    let isKnown = try await threads.run { [outputs] in outputs.isKnownSound(output, digest) }
    if isKnown { return .sound }
    let reading = Task { try await read(Key(output: output, digest: digest), for: caller) }
    guard let wait else { return try await reading.value }
    let (results, continuation) = AsyncStream.makeStream(
      of: Result<OutputStore.Verdict, any Error>.self)
    Task { continuation.yield(await reading.result) }
    let timer = Task {
      try? await Task.sleep(for: wait)
      continuation.finish()
    }
    defer { timer.cancel() }
    for await result in results { return try result.get() }
    return nil
  }

  /// Reads a file, or waits for the result if it is being read.
  private func read(_ key: Key, for caller: String?) async throws -> OutputStore.Verdict {
    try await running.run(key) { [self] in
      try await gate.run(for: caller) {
        try await BlockingThread.run(named: "output") { [self] () -> OutputStore.Verdict in
          // It may have been read while this call waited for its turn.
          if outputs.isKnownSound(key.output, key.digest) { return .sound }
          return try outputs.inspect(key.output, key.digest) { count in
            totalBytesRead.add(Int64(count), ordering: .relaxed)
          }
        }
      }
    }
  }
}
