import Synchronization

/// State that a render and its heartbeat share.
package final class RenderProgress: Sendable {
  private let frames = Atomic(0)
  private let arrivedBytes = Atomic(0)
  /// The number of reads that wait for assets.
  private let waits = Atomic(0)
  private let stopped = Atomic(false)
  private let stopping = Mutex<(@Sendable () -> Void)?>(nil)
  /// The streams whose ends tell those that wait that the render is asked to stop.
  private let waiting = Mutex<[AsyncStream<Void>.Continuation]>([])

  package init() {}

  /// The number of rendered output frames.
  package var framesRendered: Int {
    get { frames.load(ordering: .relaxed) }
    set { frames.store(newValue, ordering: .relaxed) }
  }

  /// The number of bytes of assets that have arrived from the coordinator for this render.
  package var assetBytes: Int64 { Int64(arrivedBytes.load(ordering: .relaxed)) }

  /// Counts bytes of assets that have arrived.
  package func countAssetBytes(_ count: Int) { arrivedBytes.add(count, ordering: .relaxed) }

  /// Whether the render is waiting for bytes of assets.
  package var waitsForAssets: Bool { waits.load(ordering: .relaxed) > 0 }

  /// Runs a body during which the render waits for bytes of assets.
  package func whileWaitingForAssets<Result>(_ body: () throws -> Result) rethrows -> Result {
    waits.add(1, ordering: .relaxed)
    defer { waits.subtract(1, ordering: .relaxed) }
    return try body()
  }

  /// Whether the render should stop at the next frame.
  package var isStopped: Bool { stopped.load(ordering: .relaxed) }

  /// Asks the render to stop at the next frame, resumes those that wait for it, and calls what ``whenStopped(_:)`` has
  /// set.
  package func stop() {
    stopped.store(true, ordering: .sequentiallyConsistent)
    for stream in waiting.withLock({ $0 }) { stream.finish() }
    stopping.withLock { $0.take() }?()
  }

  /// Waits until the render is asked to stop, or until the task is cancelled.
  package func untilStopped() async {
    let (stops, stream) = AsyncStream.makeStream(of: Void.self)
    waiting.withLock { $0.append(stream) }
    if stopped.load(ordering: .sequentiallyConsistent) { stream.finish() }
    for await _ in stops {}
  }

  /// Sets what to call when the render is asked to stop, replacing any earlier body. Calls it at once if it already was.
  package func whenStopped(_ body: @escaping @Sendable () -> Void) {
    stopping.withLock { $0 = body }
    if stopped.load(ordering: .sequentiallyConsistent) { stopping.withLock { $0.take() }?() }
  }
}
