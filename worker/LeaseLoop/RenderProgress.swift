import Synchronization

/// What a render and its heartbeat tell each other.
package final class RenderProgress: Sendable {
  private let frames = Atomic(0)
  private let stopped = Atomic(false)

  /// No frames yet, and nobody wants to stop.
  package init() {}

  /// How many output frames are rendered.
  package var framesRendered: Int {
    get { frames.load(ordering: .relaxed) }
    set { frames.store(newValue, ordering: .relaxed) }
  }

  /// Whether the render is to end at the next frame.
  package var isStopped: Bool { stopped.load(ordering: .relaxed) }

  /// Asks the render to end at the next frame.
  package func stop() { stopped.store(true, ordering: .relaxed) }
}
