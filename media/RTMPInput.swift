import Crypto
import FarmAPI
import Foundation
import Media
import Preparation
import RTMP
import Sheaf

/// A stream that a sender publishes over RTMP.
final class RTMPInput: LiveInput {
  private let descriptor: Int32
  private var session: PublishingSession
  /// The bytes of the file that were not read yet.
  private var file: ArraySlice<UInt8> = []
  private var isClosed = false
  private let began = ContinuousClock.now
  let isDatagram = false
  let delay = Duration.zero
  let format = LiveContainer.flashVideo

  /// How long a sender may take until it sends pictures or sound. Others cannot connect meanwhile.
  private static let beginning = Duration.seconds(10)
  /// How long a reply may wait for the sender to read.
  private static let patience = Duration.seconds(5)
  /// How long a sender may take to close its end.
  private static let farewell = Duration.milliseconds(500)
  /// How often a wait for the sender checks its deadline, in milliseconds.
  private static let waitPause: Int32 = 100

  /// Takes ownership of the socket of a sender that has connected.
  ///
  /// - Parameter key: the stream key that the sender must use; `nil` if every sender may publish.
  init(taking descriptor: Int32, key: RecordingPassphrase?) {
    self.descriptor = descriptor
    session = PublishingSession(
      key: key?.secret, random: SecureRandom.bytes(PublishingSession.randomSize))
  }

  deinit { close() }

  /// Waits for bytes of the published file.
  ///
  /// A sender that is rejected, or that does not follow the protocol, ends the input: another one may follow.
  func receive(
    into buffer: UnsafeMutableRawBufferPointer, within milliseconds: Int
  ) throws -> LiveBytes {
    if let count = take(into: buffer) { return .bytes(count) }
    guard !isClosed, !session.hasEnded else { return .ended }
    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&poller, 1, Int32(milliseconds)) != 0 else { return late ?? .nothing }
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    guard count > 0 else {
      return count < 0 && [EINTR, EAGAIN].contains(errno) ? .bytes(0) : .ended
    }
    let isValid: Bool
    do throws(RTMPError) {
      try session.receive(Array(buffer.prefix(count)))
      isValid = true
    } catch {
      isValid = false
    }
    file += session.takeFile()
    guard send(session.takeReply()), isValid else {
      let rest = take(into: buffer)
      close()
      return rest.map { .bytes($0) } ?? .ended
    }
    return take(into: buffer).map { .bytes($0) } ?? late ?? .bytes(0)
  }

  /// The end, if the sender has taken too long to begin; `nil` if it has not.
  private var late: LiveBytes? {
    session.hasBegun || ContinuousClock.now - began < Self.beginning ? nil : .ended
  }

  /// Moves bytes of the file to a buffer; `nil` if there are none.
  private func take(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard !file.isEmpty else { return nil }
    let part = file.prefix(buffer.count)
    part.withUnsafeBytes { buffer.copyMemory(from: $0) }
    file = file.dropFirst(part.count)
    return part.count
  }

  /// Sends a reply, and returns whether the sender took it.
  private func send(_ reply: [UInt8]) -> Bool {
    var rest = reply[...]
    let deadline = ContinuousClock.now + Self.patience
    while !rest.isEmpty {
      // A sender that has gone away must not end this process by a signal.
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

  /// Waits until the sender has read the last reply and closed its end. If bytes that it sent were left unread, the
  /// kernel would reset the connection, and the reason why the sender was rejected could be lost.
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

  func close() {
    guard !isClosed else { return }
    isClosed = true
    if session.hasEnded { letPeerRead() }
    Foundation.close(descriptor)
  }
}
