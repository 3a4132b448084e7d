import Synchronization

/// State that a render and its heartbeat share.
package final class RenderProgress: Sendable {
  private let frames = Atomic(0)
  private let arrivedBytes = Atomic(0)
  /// The number of reads that wait for assets.
  private let waits = Atomic(0)
  private let stopped = Atomic(false)
  private let stopping = Mutex<(@Sendable () -> Void)?>(nil)
  private let ending = Mutex<(@Sendable () -> Void)?>(nil)

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

  /// Asks the render to stop at the next frame, ends it at once if ``endRender(by:)`` has set how, and calls what
  /// ``whenStopped(_:)`` has set.
  package func stop() {
    stopped.store(true, ordering: .sequentiallyConsistent)
    ending.withLock { $0?() }
    stopping.withLock { $0.take() }?()
  }

  /// Sets what to call when the render is asked to stop, replacing any earlier body. Calls it at once if it already was.
  package func whenStopped(_ body: @escaping @Sendable () -> Void) {
    stopping.withLock { $0 = body }
    if stopped.load(ordering: .sequentiallyConsistent) { stopping.withLock { $0.take() }?() }
  }

  /// Sets what ends the render when it is asked to stop. Calls it at once if it already was. `nil` removes it.
  package func endRender(by end: (@Sendable () -> Void)?) {
    ending.withLock { $0 = end }
    if stopped.load(ordering: .sequentiallyConsistent) { end?() }
  }
}
