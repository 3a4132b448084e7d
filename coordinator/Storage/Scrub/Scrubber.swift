import Crypto
import FarmAPI
import Foundation
import Synchronization
import Threads

/// Reads assets, chunks and outputs repeatedly and slowly, to find those whose bytes changed on the disk before they
/// are needed.
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

  private let farm: Farm
  private let directory: DataDirectory
  private let assets: AssetStore
  private let chunks: ChunkStore
  private let outputs: OutputStore
  private let clock: Clock
  private let log: Log
  private let progress: Mutex<ScrubStatus>
  private let pace: Mutex<ScrubPace>
  private let isStopped = Atomic(false)

  /// The time from the start to the first pass. Short-lived farms need none.
  private static let delay = Duration.seconds(60)
  /// The time between two passes.
  private static let pause = Duration.seconds(3600)
  /// The longest time that a thread waits before it checks again for cancellation.
  private static let longestWait = Duration.milliseconds(500)

  init(
    farm: Farm, directory: DataDirectory, assets: AssetStore, chunks: ChunkStore,
    outputs: OutputStore, bytesPerSecond: Int64, clock: Clock = .system, log: Log
  ) {
    self.farm = farm
    self.directory = directory
    self.assets = assets
    self.chunks = chunks
    self.outputs = outputs
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
        log.error("cannot look for damaged files: \(error)")
      }
      try? await Task.sleep(for: Self.pause)
    }
  }

  /// Reads everything once.
  func pass() async throws {
    let outputs = try await farm.outputs(in: directory.path)
    let stored = try await BlockingThread.run(named: "scrub") { [directory] in
      (assets: StoredFile.all(in: directory.assets), chunks: StoredFile.all(in: directory.chunks))
    }
    let files =
      stored.assets.map { Subject.asset($0.digest, $0.byteCount) }
      + stored.chunks.map { Subject.chunk($0.digest, $0.byteCount) }
      + outputs.map(Subject.output)
    progress.withLock { progress in
      (progress.files, progress.filesRead) = (files.count, 0)
      (progress.bytes, progress.bytesRead) = (files.reduce(0) { $0 + $1.byteCount }, 0)
    }
    for file in files {
      do {
        try await withTaskCancellationHandler {
          try await look(at: file)
        } onCancel: {
          isStopped.store(true, ordering: .relaxed)
        }
      } catch let error as StorageError {
        // A file that cannot be read now must not keep the search from the others.
        log.error("cannot look for damage: \(error)")
      }
      progress.withLock { $0.filesRead += 1 }
    }
    progress.withLock { progress in
      progress.passes += 1
      progress.finishedAt = Date()
    }
  }

  /// A file that is to be read.
  private enum Subject: Sendable {
    case asset(Digest, Int64)
    case chunk(Digest, Int64)
    case output(ExpectedFile)

    var byteCount: Int64 {
      switch self {
      case .asset(_, let count), .chunk(_, let count): count
      case .output(let file): file.byteCount ?? 0
      }
    }
  }

  private func look(at subject: Subject) async throws {
    switch subject {
    // The store notifies the jobs that need the asset.
    case .asset(let digest, _):
      let verdict = try await read {
        try $0.assets.inspect(digest, fromDisk: true, pace: $0.keepPace)
      }
      if verdict.isDamage { noteDamage() }
    case .chunk(let digest, _):
      let verdict = try await read {
        try $0.chunks.inspect(digest, fromDisk: true, pace: $0.keepPace)
      }
      guard verdict == .damaged else { return }
      noteDamage()
      try await farm.lose(chunk: digest)
    case .output(let file): try await look(at: file)
    }
  }

  /// Checks a finished file. If it is damaged or gone, its job fails, so that the file is never delivered. If it was lost
  /// and is back, its job is completed again.
  private func look(at output: ExpectedFile) async throws {
    guard let digest = output.digest, let job = output.job else { return }
    let verdict = try await read {
      try $0.outputs.inspect(output.path, digest, fromDisk: true, pace: $0.keepPace)
    }
    guard let problem = verdict.problem else {
      try await farm.recoverOutput(of: job, digest)
      return
    }
    // Another file may have taken its place.
    guard try await farm.loseOutput(of: job, digest, because: problem) else { return }
    noteDamage()
    try await read { $0.outputs.setAside(output.path, digest, after: verdict) }
  }

  private func read<Result: Sendable>(
    _ body: @escaping @Sendable (Scrubber) throws -> Result
  ) async throws -> Result {
    try await BlockingThread.run(named: "scrub") { [self] in try body(self) }
  }

  private func noteDamage() { progress.withLock { $0.damagedFiles += 1 } }

  /// Waits until bytes may be read.
  private func keepPace(_ byteCount: Int) throws {
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

extension AssetStore.Verdict {
  /// Whether the file is damaged.
  fileprivate var isDamage: Bool {
    if case .damaged = self { true } else { false }
  }
}
