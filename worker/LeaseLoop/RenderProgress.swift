import Synchronization

/// State that a render and its heartbeat share.
package final class RenderProgress: Sendable {
  private let frames = Atomic(0)
  private let stopped = Atomic(false)
  private let stopping = Mutex<(@Sendable () -> Void)?>(nil)
  private let ending = Mutex<(@Sendable () -> Void)?>(nil)

  package init() {}

  /// The number of rendered output frames.
  package var framesRendered: Int {
    get { frames.load(ordering: .relaxed) }
    set { frames.store(newValue, ordering: .relaxed) }
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
