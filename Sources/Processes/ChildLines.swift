import Foundation

/// Exchanges lines with a child over a socket while reading its standard error. For one thread at a time.
final class ChildLines {
  /// The reason why no line arrived.
  enum Silence: Error {
    /// The other end is closed.
    case end
    /// The deadline has passed.
    case late
    /// The line exceeds the length limit.
    case tooLong
  }

  let words: LastWords
  private let descriptor: Int32
  /// The maximum length of a line, in bytes.
  private let longest: Int
  private var received: [UInt8] = []

  /// Takes ownership of a descriptor.
  init(taking descriptor: Int32, longest: Int, hearing words: LastWords) {
    self.descriptor = descriptor
    self.longest = longest
    self.words = words
  }

  deinit { close(descriptor) }

  /// Sends a line, and waits for the line that answers it.
  func exchange(
    _ line: Data, until deadline: SuspendingClock.Instant
  ) throws(Silence) -> Data {
    try send(line + Data([UInt8(ascii: "\n")]), until: deadline)
    return try receive(until: deadline)
  }

  /// Tells the child that no more lines follow.
  func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  private func send(
    _ data: Data, until deadline: SuspendingClock.Instant
  ) throws(Silence) {
    let bytes = [UInt8](data)
    var sent = 0
    while sent < bytes.count {
      guard words.wait(for: descriptor, POLLOUT, until: deadline) else { throw .late }
      let count = bytes.withUnsafeBytes {
        Foundation.send(
          descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
      // If the child has ended, its missing answer will show it.
      guard count > 0 else { return }
      sent += count
    }
  }

  private func receive(until deadline: SuspendingClock.Instant) throws(Silence) -> Data {
    var searched = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let end = lineEnd(from: searched) {
        let line = Data(received[..<end])
        received.removeSubrange(...end)
        return line
      }
      searched = received.count
      guard searched <= longest else { throw .tooLong }
      guard words.wait(for: descriptor, POLLIN, until: deadline) else { throw .late }
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
      guard count > 0 else { throw .end }
      received += buffer.prefix(count)
    }
  }

  private func lineEnd(from start: Int) -> Int? {
    received.withUnsafeBytes { bytes in
      guard start < bytes.count, let base = bytes.baseAddress,
        let end = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
      else { return nil }
      return base.distance(to: end)
    }
  }
}
