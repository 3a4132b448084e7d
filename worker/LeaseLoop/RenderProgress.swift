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

  /// Does something for which the render waits until bytes of assets have arrived.
  package func whileWaitingForAssets<Result>(_ body: () throws -> Result) rethrows -> Result {
    waits.add(1, ordering: .relaxed)
    defer { waits.subtract(1, ordering: .relaxed) }
    return try body()
  }

  /// Whether the render is to end at the next frame.
  package var isStopped: Bool { stopped.load(ordering: .relaxed) }

  /// Asks the render to end at the next frame, ends it at once where it said how, and does what ``whenStopped(_:)``
  /// was told.
  package func stop() {
    stopped.store(true, ordering: .sequentiallyConsistent)
    ending.withLock { $0?() }
    stopping.withLock { $0.take() }?()
  }

  /// Says what else is to be done when the render is asked to stop; at once where it was already. The last word holds.
  package func whenStopped(_ body: @escaping @Sendable () -> Void) {
    stopping.withLock { $0 = body }
    if stopped.load(ordering: .sequentiallyConsistent) { stopping.withLock { $0.take() }?() }
  }

  /// Says what ends the render at once when it is asked to stop, also where it was already; `nil` when it has ended.
  package func endRender(by end: (@Sendable () -> Void)?) {
    ending.withLock { $0 = end }
    if stopped.load(ordering: .sequentiallyConsistent) { end?() }
  }
}
