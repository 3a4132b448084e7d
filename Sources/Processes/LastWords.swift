import Foundation
import Synchronization

/// Reads a child's standard error from a pipe, and keeps the end of it.
///
/// A child that writes a lot blocks until its parent reads, which happens in ``wait(for:_:until:)``.
public final class LastWords: Sendable {
  /// The number of bytes that are kept.
  private static let size = 2048
  /// The capacity of a pipe, which is also the maximum that is read at once.
  private static let portion = 1 << 16

  private struct State {
    var kept: [UInt8] = []
    /// The child's end of the pipe, until it has been handed over.
    var childsEnd: Int32
    /// Whether all writers have closed the pipe.
    var isOver = false
  }

  private let reading: Int32
  private let state: Mutex<State>

  /// Creates the pipe.
  ///
  /// - Throws: ``ProcessError``.
  public init() throws(ProcessError) {
    let ends = try Descriptors.pipe()
    _ = fcntl(ends.reading, F_SETFL, O_NONBLOCK)
    reading = ends.reading
    state = Mutex(State(childsEnd: ends.writing))
  }

  deinit {
    close(reading)
    closeChildsEnd()
  }

  /// Starts a process that writes to the pipe, then closes this process's copy of the writing end.
  public func lend<Value>(
    _ start: (_ errors: Int32) throws(ProcessError) -> Value
  ) throws(ProcessError) -> Value {
    defer { closeChildsEnd() }
    return try start(state.withLock { $0.childsEnd })
  }

  private func closeChildsEnd() {
    state.withLock { state in
      if state.childsEnd >= 0 { close(state.childsEnd) }
      state.childsEnd = -1
    }
  }

  /// Waits until a descriptor is ready for `poll` events, and reads the child's standard error meanwhile.
  ///
  /// - Returns: `true` if it is ready or broken, `false` if the deadline came first.
  public func wait(
    for descriptor: Int32, _ events: Int32, until deadline: SuspendingClock.Instant? = nil
  ) -> Bool {
    Self.wait(for: descriptor, events, until: deadline, hearing: self)
  }

  /// Waits in the same way, with or without a standard error to read.
  static func wait(
    for descriptor: Int32, _ events: Int32, until deadline: SuspendingClock.Instant?,
    hearing words: LastWords?
  ) -> Bool {
    while true {
      // The system ignores a negative descriptor.
      let errors = words?.openDescriptor ?? -1
      var entries = [
        pollfd(fd: descriptor, events: Int16(events), revents: 0),
        pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&entries, 2, milliseconds(until: deadline))
      if count < 0 {
        if errno == EINTR { continue }
        return true
      }
      if entries[1].revents != 0 { words?.read() }
      if entries[0].revents != 0 { return true }
      if let deadline, SuspendingClock.now >= deadline { return false }
    }
  }

  /// The reading end, until all writers have closed the pipe.
  private var openDescriptor: Int32? { state.withLock { $0.isOver } ? nil : reading }

  /// The timeout for `poll`, rounded up so that it does not end before the deadline; -1 without a deadline.
  private static func milliseconds(until deadline: SuspendingClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let left = max(.zero, deadline - SuspendingClock.now) / .milliseconds(1)
    return Int32(min(left.rounded(.up), Double(Int32.max)))
  }

  /// The last line that the child wrote, or `nil` if it wrote none. Use it after the child has ended.
  public var lastLine: String? {
    // Reads everything in the pipe at once.
    read()
    let text = String(decoding: state.withLock { $0.kept }, as: UTF8.self)
    return text.split(separator: "\n").last.map(String.init)
  }

  private func read() {
    state.withLock { state in
      var buffer = [UInt8](repeating: 0, count: Self.portion)
      let count = Foundation.read(reading, &buffer, buffer.count)
      if count == 0 { state.isOver = true }
      guard count > 0 else { return }
      state.kept = Array((state.kept + buffer.prefix(count)).suffix(Self.size))
    }
  }
}
