import CSRT
import Glibc

/// Receives one stream over SRT through a datagram socket that is already open.
///
/// Blocks; not thread-safe.
public final class SRTReceiver {
  /// Which end opens the connection.
  public enum Role: Hashable, Sendable {
    /// This end opens the connection, to the peer of the datagram socket.
    case caller
    /// The sender opens the connection. Only the first sender that sends something is received.
    case listener
  }

  /// The outcome of waiting for bytes.
  public enum Outcome: Hashable, Sendable {
    /// This number of bytes was received.
    case bytes(Int)
    /// Nothing arrived in time.
    case nothing
    /// The connection is closed or broken, and everything that arrived before was received.
    case ended
  }

  private enum State {
    /// The socket connects to the sender.
    case calling(SRTSocket)
    /// The socket waits for a sender to connect.
    case listening(SRTSocket)
    /// A sender has connected, but has sent nothing. The second socket still listens: it repeats its answer if that was
    /// lost, and other senders can replace one that went away or sends nothing.
    case expecting(SRTSocket, SRTSocket)
    case receiving(SRTSocket)
    /// The connection is broken, but libsrt still holds bytes that are not due.
    case draining(SRTSocket, until: ContinuousClock.Instant)
    case ended
  }

  private let hasPassphrase: Bool
  private var state: State
  /// How long libsrt holds bytes back, so that lost ones can be retransmitted in time.
  public private(set) var latency = Duration.zero

  /// How often a wait checks whether it should end, in milliseconds.
  private static let pause = 100
  /// The size of the largest message in bytes: no datagram on a usual network is larger.
  private static let largestMessage = 1500

  /// Takes ownership of a bound datagram socket, which is connected to the peer if this end is the caller.
  ///
  /// - Parameter passphrase: 10 to 79 bytes, the same as at the other end; `nil` for a connection that is not
  ///   encrypted.
  public init(taking descriptor: Int32, as role: Role, passphrase: String?) throws(SRTError) {
    hasPassphrase = passphrase != nil
    let socket: SRTSocket
    do throws(SRTError) {
      socket = try SRTSocket()
      if let passphrase { try socket.set(SRTO_PASSPHRASE, passphrase) }
      guard srt_bind_acquire(socket.handle, descriptor) == 0 else { throw .last }
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    switch role {
    case .caller:
      state = .calling(socket)
      try Self.connect(socket, descriptor)
    case .listener:
      state = .listening(socket)
      guard srt_listen(socket.handle, 1) == 0 else { throw .last }
    }
  }

  /// Starts to connect to the peer of a datagram socket.
  private static func connect(_ socket: SRTSocket, _ descriptor: Int32) throws(SRTError) {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getpeername(descriptor, address, &size) == 0
          ? srt_connect(socket.handle, address, Int32(size)) : -2
      }
    }
    guard status != -2 else {
      throw SRTError(
        .failed, "the address of the sender is unknown (\(String(cString: strerror(errno))))")
    }
    guard status >= 0 else { throw .last }
  }

  /// Waits for the connection.
  ///
  /// If a listener rejects a sender, it waits for the next one.
  ///
  /// - Parameter isWanted: called repeatedly while waiting; if it returns `false`, the wait ends.
  /// - Returns: whether there is a connection; `false` if it is no longer wanted.
  public func connect(while isWanted: () -> Bool) throws(SRTError) -> Bool {
    while isWanted() {
      switch state {
      case .calling(let socket):
        guard socket.wait(for: SRT_EPOLL_OUT, milliseconds: Self.pause) else { continue }
        guard srt_getsockstate(socket.handle) == SRTS_CONNECTED else {
          throw .rejection(of: socket.handle, hasPassphrase: hasPassphrase)
        }
        latency = socket.latency
        state = .receiving(socket)
      case .listening(let listener): try listen(with: listener, milliseconds: Self.pause)
      case .expecting, .receiving, .draining, .ended: return true
      }
    }
    return false
  }

  /// Waits up to a time limit for a sender to connect.
  private func listen(with listener: SRTSocket, milliseconds: Int) throws(SRTError) {
    // libsrt reports no event for a sender that called before the first wait began.
    var caller = try listener.accept()
    if caller == nil {
      _ = listener.wait(for: SRT_EPOLL_IN, milliseconds: milliseconds)
      caller = try listener.accept()
    }
    guard let sender = caller else { return }
    latency = sender.latency
    state = .expecting(sender, listener)
  }

  /// Waits for bytes, up to a time limit.
  ///
  /// - Parameter buffer: at least 1500 bytes.
  public func receive(
    into buffer: UnsafeMutableRawBufferPointer, within milliseconds: Int
  ) throws(SRTError) -> Outcome {
    switch state {
    case .ended, .calling: return .ended
    case .listening(let listener):
      try listen(with: listener, milliseconds: milliseconds)
      return .nothing
    case .expecting(let socket, let listener):
      return try receiveFirst(socket, listener, into: buffer, within: milliseconds)
    case .receiving(let socket):
      _ = socket.wait(for: SRT_EPOLL_IN, milliseconds: milliseconds)
      let (count, isBroken) = read(socket, into: buffer)
      if isBroken { drain(socket) }
      return count > 0 ? .bytes(count) : .nothing
    case .draining(let socket, let deadline):
      let (count, _) = read(socket, into: buffer)
      if count > 0 { return .bytes(count) }
      guard socket.value(of: SRTO_RCVDATA) > 0, .now < deadline else {
        state = .ended
        return .ended
      }
      _ = poll(nil, 0, Int32(min(milliseconds, Self.drainingPause)))
      return .nothing
    }
  }

  /// Waits for the first bytes of a sender, or for another sender.
  private func receiveFirst(
    _ socket: SRTSocket, _ listener: SRTSocket, into buffer: UnsafeMutableRawBufferPointer,
    within milliseconds: Int
  ) throws(SRTError) -> Outcome {
    if let newer = try listener.accept() {
      latency = newer.latency
      state = .expecting(newer, listener)
      return .nothing
    }
    _ = socket.wait(for: SRT_EPOLL_IN, milliseconds: milliseconds)
    let (count, isBroken) = read(socket, into: buffer)
    guard count > 0 else {
      if isBroken { state = .listening(listener) }
      return .nothing
    }
    // Closes the connections of other senders, which would otherwise send without being received.
    while try listener.accept() != nil {}
    state = .receiving(socket)
    if isBroken { drain(socket) }
    return .bytes(count)
  }

  private func drain(_ socket: SRTSocket) {
    state = .draining(socket, until: .now + latency + Self.margin)
  }

  /// How much later than their latency the last bytes may be released.
  private static let margin = Duration.milliseconds(100)
  /// How often a broken connection is checked for bytes, in milliseconds.
  private static let drainingPause = 10

  /// Reads the messages that are due, while the buffer has room for another one.
  private func read(
    _ socket: SRTSocket, into buffer: UnsafeMutableRawBufferPointer
  ) -> (count: Int, isBroken: Bool) {
    var count = 0
    while buffer.count - count >= Self.largestMessage, let base = buffer.baseAddress {
      let length = srt_recvmsg(
        socket.handle, (base + count).assumingMemoryBound(to: CChar.self),
        Int32(Self.largestMessage))
      guard length > 0 else {
        return (count, length == 0 || srt_getlasterror(nil) != SRT_EASYNCRCV.rawValue)
      }
      count += Int(length)
    }
    return (count, false)
  }

  /// Ends the connection, and tells the other end.
  public func close() { state = .ended }
}
