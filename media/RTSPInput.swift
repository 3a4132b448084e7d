import Crypto
import FarmAPI
import Foundation
import Media
import Preparation
import RTSP
import Sheaf
import Threads

/// A stream that a server sends over RTSP, with its packets within the connection.
///
/// The first bytes that are received are the description of the streams. After that, each call returns one packet.
final class RTSPInput: ConnectingInput {
  private let connection: PeerConnection
  private let name: String
  private var session: PlayingSession
  /// Receives the packets, once the server has agreed to send them.
  private var receiver: RTPReceiver?
  private var hasDescribed = false
  /// Whether the server has closed the connection, or takes no more requests.
  private var hasHungUp = false
  /// When the last bytes arrived; once the server has agreed to send the streams, when their last packet arrived.
  private var lastSign = MonotonicClock.now
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  let isDatagram = false
  let format = LiveContainer.rtp
  private(set) var age = Duration.zero

  /// How long a server may take to answer the requests before it sends the stream.
  private static let patience = Duration.seconds(10)
  /// How long a server may send no packets of RTP until the connection counts as lost. Answers to requests do not
  /// count, because the encoder of a server that answers may hang.
  private static let longestSilence = Duration.seconds(60)
  /// How often a wait for the server checks whether it should end, in milliseconds.
  private static let pause = 100

  /// Takes ownership of a socket that is connected to a server.
  ///
  /// - Parameters:
  ///   - url: the address of the stream.
  ///   - passphrase: the user and the password, as `user:password`; `nil` for none.
  ///   - name: the source's name in errors.
  init(
    taking descriptor: Int32, playing url: String, _ passphrase: RecordingPassphrase?,
    named name: String
  ) {
    connection = PeerConnection(taking: descriptor)
    self.name = name
    session = PlayingSession(
      url: url, credentials: passphrase.flatMap { RTSPCredentials($0.secret) },
      clientNonce: SecureRandom.token(bytes: 16))
  }

  deinit { close() }

  /// The packets wait until the clocks of their streams are known.
  var delay: Duration { receiver?.isWaiting == true ? RTPReceiver.patience : .zero }

  var leftOut: Int { receiver?.leftOut ?? 0 }

  func start(of stream: Int) -> Int64 { receiver?.start(of: stream) ?? 0 }

  /// Makes the server send the stream.
  ///
  /// - Throws: ``JobError``.
  func connect(while isWanted: () -> Bool) throws -> Bool {
    let deadline = MonotonicClock.now + Self.patience
    do throws(RTSPError) {
      while !session.isPlaying {
        guard isWanted() else { return false }
        guard !hasHungUp, MonotonicClock.now < deadline else { break }
        _ = try exchange(within: Self.pause)
      }
    } catch {
      throw failure(error)
    }
    guard session.isPlaying else {
      throw JobError(
        .sourceUnreachable,
        "cannot open the source: \(name): the server "
          + "\(hasHungUp ? "closed the connection" : "does not answer"): check the address")
    }
    lastSign = MonotonicClock.now
    receiver = RTPReceiver(session.media, startTimestamps: session.startTimestamps)
    return true
  }

  private func failure(_ error: RTSPError) -> JobError {
    let code: FailureCode =
      switch error.code {
      case .unauthorized: .passphraseRejected
      case .refused: .sourceUnreachable
      case .unsupported: FailureCode(rawValue: MediaError.Code.unsupportedFormat.wireName)
      default: .notMedia
      }
    let remedy = code == .notMedia ? ": check the address" : ""
    return JobError(code, "cannot open the source: \(name): \(error)\(remedy)")
  }

  /// Sends what is due, and waits for bytes of the server, up to a time limit in milliseconds.
  ///
  /// - Returns: whether something arrived.
  private func exchange(within milliseconds: Int) throws(RTSPError) -> Bool {
    guard connection.send(session.takeRequests()) else {
      hasHungUp = true
      return false
    }
    switch buffer.withUnsafeMutableBytes({ connection.receive(into: $0, within: milliseconds) }) {
    case .bytes(let count):
      if count > 0, !session.isPlaying { lastSign = MonotonicClock.now }
      try session.receive(buffer[..<count])
      return true
    case .nothing: hasHungUp = MonotonicClock.now - lastSign >= Self.longestSilence
    case .ended: hasHungUp = true
    }
    return false
  }

  /// Waits for a packet.
  ///
  /// - Throws: ``MediaError`` with code `damaged` if the server violates the protocol.
  func receive(
    into target: UnsafeMutableRawBufferPointer, within milliseconds: Int
  ) throws -> LiveBytes {
    guard let description = receiver?.description else { return .ended }
    if !hasDescribed {
      hasDescribed = true
      return copy(description, to: target)
    }
    if let packet = next() { return copy(packet, to: target) }
    guard !hasHungUp, receiver?.hasEnded == false else { return .ended }
    session.keepAlive(at: MonotonicClock.now)
    let hasReceived: Bool
    do throws(RTSPError) {
      hasReceived = try exchange(within: milliseconds)
    } catch {
      throw MediaError(.damaged, "cannot read the source", on: name, cause: error.description)
    }
    for packet in session.takePackets() {
      if !packet.isControl { lastSign = MonotonicClock.now }
      receiver?.take(packet, at: MonotonicClock.now)
    }
    if hasHungUp { receiver?.release() }
    return next().map { copy($0, to: target) } ?? (hasReceived ? .bytes(0) : .nothing)
  }

  /// The next packet that can be demultiplexed.
  private func next() -> [UInt8]? {
    let now = MonotonicClock.now
    guard let packet = receiver?.next(at: now) else { return nil }
    age = now - packet.arrival
    return packet.bytes
  }

  private func copy(_ bytes: [UInt8], to target: UnsafeMutableRawBufferPointer) -> LiveBytes {
    let part = bytes.prefix(target.count)
    part.withUnsafeBytes { target.copyMemory(from: $0) }
    return .bytes(part.count)
  }

  func close() {
    if session.isPlaying, !hasHungUp {
      session.end()
      // What is not sent at once is not worth waiting for.
      _ = connection.send(session.takeRequests())
    }
    connection.close(afterFarewell: session.hasEnded && !hasHungUp)
    hasHungUp = true
  }
}
