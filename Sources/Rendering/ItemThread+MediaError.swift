import Glibc
import Media
import Threads

extension ItemThread {
  /// Starts a thread that works on media.
  ///
  /// - Parameter subject: what the message names if the thread cannot be started.
  /// - Throws: `MediaError` with code `outOfMemory` if the system does not permit another thread.
  static func start(
    named name: String, room: Int, for subject: String,
    _ work: @escaping @Sendable (_ next: () throws -> Item?) throws -> Value
  ) throws -> ItemThread {
    guard let thread = ItemThread(named: name, room: room, work) else {
      throw MediaError(
        .outOfMemory, "cannot start a thread: \(String(cString: strerror(errno)))", on: subject,
        remedy: "raise this host's limits on memory and processes")
    }
    return thread
  }
}
