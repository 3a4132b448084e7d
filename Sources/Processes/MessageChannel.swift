import CLinux
import Foundation

/// One end of a socket pair over which two processes exchange messages. Except for ``hangUp()``, use it on one thread at
/// a time.
///
/// Each message is sent as a header of eight bytes and its content. All numbers have their lowest byte first.
public final class MessageChannel: Sendable {
  /// The reason why no message arrived.
  public enum Silence: Error, Hashable {
    /// The other end is closed.
    case end
    /// The deadline has passed.
    case late
    /// The message exceeds the size limit.
    case tooLong
    /// The received bytes are not a valid message.
    case invalid
  }

  private let descriptor: Int32
  /// The maximum size of a received message, in bytes.
  private let largest: Int

  /// Takes ownership of a socket.
  ///
  /// - Parameter largest: the maximum size of a received message, in bytes.
  public init(taking descriptor: Int32, largest: Int) {
    self.descriptor = descriptor
    self.largest = largest
  }

  deinit { close(descriptor) }

  /// Ends the dialogue: current and later reads at both ends get an end of stream. Can be called on any thread.
  public func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Tells the other end that no more messages follow.
  public func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends a message. The caller keeps its descriptor.
  ///
  /// - Parameter words: the other end's standard error, which is read meanwhile.
  /// - Returns: `false` if the deadline came first, or the message is too long for any channel. If the other end is
  ///   closed, only the missing answer shows it.
  @discardableResult public func send(
    _ message: Message, hearing words: LastWords? = nil,
    until deadline: SuspendingClock.Instant? = nil
  ) -> Bool {
    let header = MessageHeader(
      byteCount: message.bytes.count, kind: message.kind, hasDescriptor: message.descriptor >= 0)
    guard let bytes = header.bytes else { return false }
    let wait = Wait(words: words, deadline: deadline)
    return send(bytes, passing: message.descriptor, wait) && send(message.bytes, wait)
  }

  /// Waits for a message, whose descriptor the caller must close.
  ///
  /// - Parameter words: the other end's standard error, which is read meanwhile.
  public func receive(
    hearing words: LastWords? = nil, until deadline: SuspendingClock.Instant? = nil
  ) throws(Silence) -> Message {
    let wait = Wait(words: words, deadline: deadline)
    var passed: Int32 = -1
    do throws(Silence) {
      let bytes = try receive(MessageHeader.size, wait, taking: &passed)
      let announced = MessageHeader.byteCount(in: bytes)
      guard announced <= largest else { throw .tooLong }
      guard let header = MessageHeader(bytes), header.hasDescriptor == (passed >= 0) else {
        throw .invalid
      }
      var none: Int32 = -1
      defer { if none >= 0 { close(none) } }
      let content = try receive(header.byteCount, wait, taking: &none)
      return Message(kind: header.kind, bytes: content, descriptor: passed)
    } catch {
      if passed >= 0 { close(passed) }
      throw error
    }
  }

  /// The conditions under which a call waits for the socket.
  private struct Wait {
    var words: LastWords?
    var deadline: SuspendingClock.Instant?

    /// Waits for an event. Returns `false` if the deadline came first.
    func ready(_ descriptor: Int32, _ event: Int32) -> Bool {
      // Some bytes at a time must not take the other end beyond the deadline.
      if let deadline, SuspendingClock.now >= deadline { return false }
      return LastWords.wait(for: descriptor, event, until: deadline, hearing: words)
    }
  }

  private func send(_ bytes: [UInt8], passing passed: Int32 = -1, _ wait: Wait) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = sheaf_send_passing(
          descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent,
          sent == 0 ? passed : -1)
        if count > 0 {
          sent += count
        } else if count < 0, errno == EAGAIN {
          guard wait.ready(descriptor, POLLOUT) else { return false }
        } else if count == 0 || errno != EINTR {
          // The other end would wait for the rest of a message that cannot be sent.
          if count < 0, errno != EPIPE { hangUp() }
          return true
        }
      }
      return true
    }
  }

  /// Receives exactly `count` bytes, and at most one descriptor.
  private func receive(
    _ count: Int, _ wait: Wait, taking passed: inout Int32
  ) throws(Silence) -> [UInt8] {
    var silence: Silence?
    var found: Int32 = -1
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        var number: Int32 = -1
        let received = sheaf_receive_passed(
          descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, &number)
        if number >= 0 {
          if found >= 0 { close(found) }
          found = number
        }
        if received > 0 {
          filled += received
        } else if received < 0, errno == EAGAIN {
          guard wait.ready(descriptor, POLLIN) else {
            silence = .late
            return
          }
        } else if received == 0 || errno != EINTR {
          silence = .end
          return
        }
      }
    }
    passed = found
    if let silence { throw silence }
    return bytes
  }
}
