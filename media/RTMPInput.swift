import Crypto
import FarmAPI
import Foundation
import Media
import Preparation
import RTMP
import Sheaf

/// A stream that a sender publishes over RTMP.
final class RTMPInput: LiveInput {
  private let connection: PeerConnection
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

  /// Takes ownership of the socket of a sender that has connected.
  ///
  /// - Parameter key: the stream key that the sender must use; `nil` if every sender may publish.
  init(taking descriptor: Int32, key: RecordingPassphrase?) {
    connection = PeerConnection(taking: descriptor)
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
    let count: Int
    switch connection.receive(into: buffer, within: milliseconds) {
    case .bytes(let received): count = received
    case .nothing: return late ?? .nothing
    case .ended: return .ended
    }
    let isValid: Bool
    do throws(RTMPError) {
      try session.receive(Array(buffer.prefix(count)))
      isValid = true
    } catch {
      isValid = false
    }
    file += session.takeFile()
    guard connection.send(session.takeReply()), isValid else {
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

  func close() {
    guard !isClosed else { return }
    isClosed = true
    connection.close(afterFarewell: session.hasEnded)
  }
}
