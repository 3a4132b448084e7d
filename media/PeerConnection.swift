import Foundation

/// The connected socket of a source that also expects to be sent something. Not thread-safe.
final class PeerConnection {
  /// The outcome of waiting for bytes.
  enum Received: Hashable {
    /// This number of bytes was received; 0 if waiting again may help.
    case bytes(Int)
    /// Nothing arrived in time.
    case nothing
    /// The peer has closed its end, or the connection is lost.
    case ended
  }

  private let descriptor: Int32
  private var isClosed = false

  /// How long the peer may take to read what is sent.
  private static let patience = Duration.seconds(5)
  /// How long the peer may take to close its end.
  private static let farewell = Duration.milliseconds(500)
  /// How often a wait for the peer checks its deadline, in milliseconds.
  private static let waitPause: Int32 = 100

  /// Takes ownership of a socket.
  init(taking descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(afterFarewell: false) }

  /// Waits for bytes, up to a time limit in milliseconds.
  func receive(
    into buffer: UnsafeMutableRawBufferPointer, within milliseconds: Int
  ) -> Received {
    guard !isClosed else { return .ended }
    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&poller, 1, Int32(milliseconds)) != 0 else { return .nothing }
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    if count > 0 { return .bytes(count) }
    return count < 0 && [EINTR, EAGAIN].contains(errno) ? .bytes(0) : .ended
  }

  /// Sends bytes, and returns whether the peer took them.
  func send(_ bytes: [UInt8]) -> Bool {
    guard !isClosed else { return bytes.isEmpty }
    var rest = bytes[...]
    let deadline = ContinuousClock.now + Self.patience
    while !rest.isEmpty {
      // A peer that has gone away must not end this process by a signal.
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
        continue
      }
      guard [EINTR, EAGAIN].contains(errno), ContinuousClock.now < deadline else { return false }
      var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&poller, 1, Self.waitPause)
    }
    return true
  }

  /// Closes the socket.
  ///
  /// - Parameter hasFarewell: whether to wait until the peer has read what was sent last and closed its end. If bytes that
  ///   it sent were left unread, the kernel would reset the connection, and what was sent last could be lost.
  func close(afterFarewell hasFarewell: Bool) {
    guard !isClosed else { return }
    isClosed = true
    if hasFarewell { letPeerRead() }
    Foundation.close(descriptor)
  }

  private func letPeerRead() {
    shutdown(descriptor, Int32(SHUT_WR))
    let deadline = ContinuousClock.now + Self.farewell
    var waste = [UInt8](repeating: 0, count: 1 << 16)
    while ContinuousClock.now < deadline {
      var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&poller, 1, Self.waitPause) > 0 else { continue }
      guard read(descriptor, &waste, waste.count) > 0 else { return }
    }
  }
}
