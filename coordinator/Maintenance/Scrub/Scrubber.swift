import Crypto
import FarmAPI
import Foundation
import Synchronization
import Threads

/// Reads the files of the stores repeatedly and slowly, to find those whose bytes changed on the disk before they are
/// needed.
package final class Scrubber: Sendable {
  /// A monotonic clock, and a way for a thread to wait on it.
  package struct Clock: Sendable {
    /// The current time.
    package var now: @Sendable () -> Duration
    /// Blocks the calling thread.
    package var wait: @Sendable (Duration) -> Void

    package init(
      now: @escaping @Sendable () -> Duration, wait: @escaping @Sendable (Duration) -> Void
    ) {
      (self.now, self.wait) = (now, wait)
    }

    /// The system's monotonic clock.
    package static let system: Clock = {
      let start = ContinuousClock.now
      return Clock(
        now: { ContinuousClock.now - start },
        wait: { Thread.sleep(forTimeInterval: $0 / .seconds(1)) })
    }()
  }

  let farm: Farm
  let assets: AssetStore
  let chunks: ChunkStore
  let outputs: OutputStore
  let documents: DocumentStore
  let indexes: MediaIndexCache
  let log: Log
  private let storage: any ObjectStorage
  private let directory: DataDirectory
  private let clock: Clock
  private let progress: Mutex<ScrubStatus>
  private let pace: Mutex<ScrubPace>
  private let isStopped = Atomic(false)

  /// The time from the start to the first pass. A short-lived farm ends before it.
  private static let delay = Duration.seconds(60)
  /// The time between two passes.
  private static let pause = Duration.seconds(3600)
  /// The interval at which the position is saved.
  private static let keepingPeriod = Duration.seconds(30)
  /// The longest time that a thread waits before it checks again for cancellation.
  private static let longestWait = Duration.milliseconds(500)

  init(
    farm: Farm, storage: any ObjectStorage, directory: DataDirectory, assets: AssetStore,
    chunks: ChunkStore,
    outputs: OutputStore, documents: DocumentStore, indexes: MediaIndexCache,
    bytesPerSecond: Int64, clock: Clock = .system, log: Log
  ) {
    self.farm = farm
    self.storage = storage
    self.directory = directory
    self.assets = assets
    self.chunks = chunks
    self.outputs = outputs
    self.documents = documents
    self.indexes = indexes
    self.clock = clock
    self.log = log
    progress = Mutex(ScrubStatus(bytesPerSecond: bytesPerSecond))
    pace = Mutex(ScrubPace(bytesPerSecond: bytesPerSecond))
  }

  /// The progress of the current pass.
  var status: ScrubStatus { progress.withLock { $0 } }

  /// Reads everything repeatedly, until the task is cancelled.
  func run() async {
    guard status.bytesPerSecond > 0 else { return }
    try? await Task.sleep(for: Self.delay)
    while !Task.isCancelled {
      do { try await pass() } catch is CancellationError {} catch {
        log.error("cannot search for damaged files: \(error)")
      }
      try? await Task.sleep(for: Self.pause)
    }
  }

  /// Reads every file once, resuming a pass that an earlier coordinator did not finish.
  func pass() async throws {
    let files = try await subjects()
    let begin = try await read { ScrubPosition(in: $0.directory) }
    let done = begin.map { begin in files.count { $0.position <= begin } } ?? 0
    progress.withLock { progress in
      (progress.files, progress.filesRead) = (files.count, done)
      progress.bytes = files.reduce(0) { $0 + $1.byteCount }
      progress.bytesRead = files[..<done].reduce(0) { $0 + $1.byteCount }
    }
    var last: ScrubPosition?
    var kept = clock.now()
    do {
      for file in files[done...] {
        try await readOne(file)
        last = file.position
        if clock.now() - kept >= Self.keepingPeriod {
          await keep(last)
          kept = clock.now()
        }
      }
    } catch {
      await keep(last)
      throw error
    }
    try await read { _ = unlink($0.directory.scrubPosition) }
    progress.withLock { progress in
      progress.passes += 1
      progress.finishedAt = Date()
    }
  }

  /// Every file, in the order of a pass.
  private func subjects() async throws -> [ScrubSubject] {
    let outputs = try await farm.outputs().compactMap(ScrubSubject.init)
    return try await read { scrubber in
      let stored = ScrubKind.allCases.filter { $0 != .output }.flatMap { kind in
        StoredFile.all(of: kind.objects, in: scrubber.storage).map { ScrubSubject(kind, $0) }
      }
      return (stored + outputs).sorted { $0.position < $1.position }
    }
  }

  private func readOne(_ file: ScrubSubject) async throws {
    let before = status
    do {
      try await withTaskCancellationHandler {
        try await look(at: file)
      } onCancel: {
        isStopped.store(true, ordering: .relaxed)
      }
    } catch let error as StorageError {
      // A file that cannot be read now must not stop the search in the others.
      log.error("cannot search for damaged files: \(error)")
    }
    progress.withLock { progress in
      progress.filesRead += 1
      // A damaged file is read only up to the damage, and a file may have been removed or have grown. The pass's size
      // is adjusted to the bytes that were read, so that the pass ends with all of them read.
      progress.bytes = before.bytes - file.byteCount + progress.bytesRead - before.bytesRead
    }
  }

  /// Saves the position of the last file that was read, if any.
  private func keep(_ position: ScrubPosition?) async {
    guard let position else { return }
    do {
      // A detached task, because it must not be cancelled with the pass.
      try await Task.detached { [self] in try await read { try position.keep(in: $0.directory) } }
        .value
    } catch {
      log.error("cannot save the progress of the search for damaged files: \(error)")
    }
  }

  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Scrubber) throws -> Result
  ) async throws -> Result {
    try await BlockingThread.run(named: "scrub") { [self] in try body(self) }
  }

  func noteDamage() { progress.withLock { $0.damagedFiles += 1 } }

  /// Counts bytes that are read in addition to those planned for the pass.
  func addBytes(_ byteCount: Int64) { progress.withLock { $0.bytes += byteCount } }

  /// Waits until bytes may be read.
  func keepPace(_ byteCount: Int) throws {
    var rest = pace.withLock { $0.wait(before: byteCount, at: clock.now()) }
    while rest > .zero {
      if isStopped.load(ordering: .relaxed) { throw CancellationError() }
      clock.wait(min(rest, Self.longestWait))
      rest -= Self.longestWait
    }
    if isStopped.load(ordering: .relaxed) { throw CancellationError() }
    progress.withLock { progress in
      progress.bytesRead += Int64(byteCount)
      progress.totalBytesRead += Int64(byteCount)
    }
  }
}
