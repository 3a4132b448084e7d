import RTMP
import RTSP
import Recording

/// Receives a live stream as a recorder does, before libav sees it.
///
/// The first byte selects the protocol and the second one the number of bytes that arrive at a time. The rest is what
/// the other end sends.
enum StreamFuzzer {
  /// Receives the stream, or rejects it with an error for that. Anything else ends the process.
  static func run(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 2 else { return }
    let step = Int(bytes[1]) + 1
    let rest = Array(bytes.dropFirst(2))
    let parts = stride(from: 0, to: rest.count, by: step).map {
      Array(rest[$0..<min($0 + step, rest.count)])
    }
    switch bytes[0] % 3 {
    case 0: receiveTransportStream(parts)
    case 1: publish(parts)
    default: play(parts)
    }
  }

  private static func receiveTransportStream(_ parts: [[UInt8]]) {
    var filter = TransportStreamFilter()
    var passed = 0
    for part in parts { passed += part.withUnsafeBytes { filter.add($0).count } }
    precondition(passed <= parts.reduce(0) { $0 + $1.count })
    for number in 0..<8 { while filter.takeLoss(of: number, upTo: .max) != nil {} }
  }

  /// Publishes over RTMP, after the greetings.
  private static func publish(_ parts: [[UInt8]]) {
    var session = PublishingSession(
      key: nil, random: [UInt8](repeating: 7, count: PublishingSession.randomSize))
    let greetings = [3] + [UInt8](repeating: 0, count: 2 * 1536)
    do {
      for part in [greetings] + parts {
        try session.receive(part)
        _ = (session.takeReply(), session.takeFile())
      }
    } catch {
      precondition(!error.description.isEmpty)
    }
  }

  /// Plays from a server that speaks RTSP.
  private static func play(_ parts: [[UInt8]]) {
    var session = PlayingSession(
      url: "rtsp://camera/stream", credentials: RTSPCredentials("user:password"),
      clientNonce: "nonce")
    var receiver: RTPReceiver?
    var now = Duration.zero
    do {
      for part in parts {
        now += .milliseconds(40)
        try session.receive(part)
        session.keepAlive(at: now)
        _ = session.takeRequests()
        if session.isPlaying, receiver == nil {
          receiver = RTPReceiver(session.media, startTimestamps: session.startTimestamps)
        }
        for packet in session.takePackets() { receiver?.take(packet, at: now) }
        while receiver?.next(at: now) != nil {}
      }
      for number in session.media.indices { _ = receiver?.start(of: number) }
      session.end()
    } catch {
      precondition(!"\(error)".isEmpty)
    }
  }
}

/// The entry point that libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func fuzzStream(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int32 {
  StreamFuzzer.run(UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}
