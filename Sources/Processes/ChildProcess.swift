import Foundation
import Synchronization

/// A process that this process has started, and must wait for.
///
/// Its id cannot belong to another process until it has been waited for. It is locked while it is signaled and waited
/// for, so that no signal reaches another process.
public final class ChildProcess: Sendable {
  /// The process id, which is also the id of its process group.
  public let id: pid_t
  /// How it ended, once it has been waited for.
  private let ending = Mutex<ProcessEnding?>(nil)

  init(id: pid_t) { self.id = id }

  /// Takes over a child of this process that was not started with ``Spawn`` or ``ConnectedChild``.
  package init(adopting id: pid_t) { self.id = id }

  /// Sends a signal to the process, unless it has been waited for.
  public func send(_ signal: Int32) {
    ending.withLock { if $0 == nil { kill(id, signal) } }
  }

  /// Kills the process and everything that it has started in its process group, unless it has been waited for: another
  /// group may have its number by then.
  public func killGroup() {
    ending.withLock { if $0 == nil { kill(-id, SIGKILL) } }
  }

  /// Lowers the priority of the process. Call it while the process has one thread; others that it starts inherit it.
  ///
  /// - Parameter niceness: how much lower it is than this process's, 0 to 19 (`nice`).
  public func giveWay(by niceness: Int32) {
    guard niceness > 0 else { return }
    let process = __priority_which_t(PRIO_PROCESS.rawValue)
    ending.withLock {
      if $0 == nil { setpriority(process, id_t(id), getpriority(process, 0) + niceness) }
    }
  }

  /// Whether the process has ended.
  public var hasEnded: Bool {
    ending.withLock { $0 != nil || ProcessEnding.isDue(of: id) }
  }

  /// Whether the process ends by itself within the given time. Blocks until then.
  public func ends(within time: Duration) -> Bool {
    let deadline = SuspendingClock.now + time
    while !hasEnded {
      guard SuspendingClock.now < deadline else { return false }
      usleep(5000)
    }
    return true
  }

  /// Waits until the process has ended. Can be called again, and on several threads.
  @discardableResult public func wait() -> ProcessEnding {
    if let known = ending.withLock({ $0 }) { return known }
    // Not locked, because a signal may be needed until then.
    ProcessEnding.waitWithoutReaping(id)
    return ending.withLock { ending in
      let found = ending ?? ProcessEnding.reap(id)
      ending = found
      return found
    }
  }
}
