import Foundation
import RTSP
import Support
import Testing

@Suite(.mayBlock) struct RTPReceiverTests {
  private static let description = """
    v=0
    m=video 0 RTP/AVP 96
    a=rtpmap:96 H264/90000
    a=fmtp:96 sprop-parameter-sets=Z2Q=,aOk=
    m=audio 0 RTP/AVP 96
    a=rtpmap:96 MPEG4-GENERIC/48000/2
    """

  private func receiver(starts: [Int: UInt32] = [:], streams: Int = 2) throws -> RTPReceiver {
    let media = try SessionDescription(Array(Self.description.utf8)).media
    return RTPReceiver(Array(media.prefix(streams)), startTimestamps: starts)
  }

  private func packet(
    _ media: Int, _ sequence: UInt16, at time: UInt32, _ payload: [UInt8], ends: Bool = true,
    type: UInt8 = 96, source: UInt8 = 9
  ) -> PlayingSession.Packet {
    let header: [UInt8] = [
      0x80, (ends ? 0x80 : 0) | type, UInt8(sequence >> 8), UInt8(sequence & 0xFF),
      UInt8(time >> 24), UInt8(time >> 16 & 0xFF), UInt8(time >> 8 & 0xFF), UInt8(time & 0xFF), 0,
      0,
      0, source,
    ]
    return PlayingSession.Packet(media: media, isControl: false, bytes: header + payload)
  }

  /// A sender report that a timestamp belongs to a time in milliseconds.
  private func report(_ media: Int, _ time: UInt32, at milliseconds: UInt64)
    -> PlayingSession.Packet
  {
    let clock = (4_000_000_000 << 32) + (milliseconds << 32) / 1000
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: clock >> (56 - 8 * UInt64($0))) }
    let stamp = (0..<4).map { UInt8(truncatingIfNeeded: time >> (24 - 8 * UInt32($0))) }
    return PlayingSession.Packet(
      media: media, isControl: true,
      bytes: [0x80, 200, 0, 6, 0, 0, 0, 9] + bytes + stamp + [UInt8](repeating: 0, count: 8))
  }

  private func bye(_ media: Int) -> PlayingSession.Packet {
    PlayingSession.Packet(media: media, isControl: true, bytes: [0x81, 203, 0, 1, 0, 0, 0, 9])
  }

  private func payloads(_ receiver: inout RTPReceiver, at now: Duration = .seconds(9)) -> [[UInt8]]
  {
    var payloads: [[UInt8]] = []
    while let next = receiver.next(at: now) { payloads.append(Array(next.bytes.dropFirst(12))) }
    return payloads
  }

  /// The first slices of pictures.
  private let key: [UInt8] = [0x65, 0x88]
  private let other: [UInt8] = [0x41, 0x9A]
  private let sets: [[UInt8]] = [[0x67, 0x64], [0x68, 0xE9]]

  @Test func `pictures are passed on once they are whole, with the parameter sets they need`()
    throws
  {
    var receiver = try receiver(streams: 1)
    receiver.take(packet(0, 1, at: 5, key, ends: false), at: .zero)
    #expect(payloads(&receiver) == [])
    receiver.take(packet(0, 2, at: 5, other), at: .zero)
    #expect(payloads(&receiver) == sets + [key, other])
    // A server that does not mark the ends of pictures.
    receiver.take(packet(0, 3, at: 6, other, ends: false), at: .zero)
    receiver.take(packet(0, 4, at: 7, other, ends: false), at: .zero)
    #expect(payloads(&receiver) == [other])
  }

  @Test func `after a loss, pictures are left out until a keyframe`() throws {
    var receiver = try receiver(streams: 1)
    receiver.take(packet(0, 65_535, at: 1, key), at: .zero)
    receiver.take(packet(0, 0, at: 2, other), at: .zero)
    receiver.take(packet(0, 2, at: 3, other), at: .zero)
    receiver.take(packet(0, 3, at: 4, other), at: .zero)
    #expect(payloads(&receiver) == sets + [key, other])
    // A repeated packet, and one of another payload type.
    receiver.take(packet(0, 3, at: 5, key), at: .zero)
    receiver.take(packet(0, 4, at: 5, key, type: 97), at: .zero)
    receiver.take(packet(0, 5, at: 5, key), at: .zero)
    #expect(payloads(&receiver) == sets + [key])
  }

  @Test func `each stream has a payload type and numbers without gaps`() throws {
    var receiver = try receiver(streams: 2)
    receiver.take(packet(0, 7, at: 5, sets[0] + key), at: .zero)
    receiver.take(packet(1, 7, at: 5, [1]), at: .zero)
    receiver.take(packet(1, 9, at: 9, [2]), at: .zero)
    var packets: [[UInt8]] = []
    while let next = receiver.next(at: .seconds(9)) { packets.append(next.bytes) }
    #expect(packets.map { $0[1] & 0x7F } == [96, 97, 97])
    #expect(packets.map { $0[3] } == [0, 0, 1])
    let text = String(decoding: receiver.description, as: UTF8.self)
    #expect(text.contains("a=rtpmap:97 MPEG4-GENERIC/48000/2\r\n"))
  }

  @Test func `sender reports place the streams on one clock`() throws {
    var receiver = try receiver()
    receiver.take(report(1, 48_000, at: 1500), at: .zero)
    receiver.take(packet(1, 1, at: 96_000, [1]), at: .milliseconds(1))
    receiver.take(packet(0, 1, at: 90_000, key), at: .milliseconds(2))
    #expect(receiver.next(at: .milliseconds(3)) == nil)
    #expect(receiver.isWaiting)
    receiver.take(report(0, 0, at: 1000), at: .milliseconds(4))
    // The first sound is at 2.5 s, and the first picture at 2 s.
    #expect(payloads(&receiver, at: .milliseconds(5)).count == 4)
    #expect(receiver.start(of: 0) == 0)
    #expect(receiver.start(of: 1) == 45_000)
  }

  @Test func `without reports, the answer to PLAY places the streams, and then their arrival`()
    throws
  {
    var stated = try receiver(starts: [0: 0, 1: 24_000])
    var silent = try receiver()
    var wrong = try receiver(starts: [0: 0, 1: 4_000_000])
    for packet in [packet(0, 1, at: 90_000, key), packet(1, 1, at: 96_000, [1])] {
      let arrival = Duration.milliseconds(100 * packet.media)
      stated.take(packet, at: arrival)
      silent.take(packet, at: arrival)
      wrong.take(packet, at: arrival)
    }
    #expect(stated.next(at: .milliseconds(4999)) == nil)
    #expect(stated.next(at: .seconds(5)) != nil)
    _ = silent.next(at: .seconds(5))
    _ = wrong.next(at: .seconds(5))
    // The sound begins 1.5 s after the common time, and the pictures 1 s after it.
    #expect(stated.start(of: 1) == 45_000)
    #expect(silent.start(of: 1) == 9000)
    #expect(wrong.start(of: 1) == 9000)
  }

  @Test func `a stream is moved if three reports in a row deviate`() throws {
    var receiver = try receiver()
    receiver.take(packet(0, 1, at: 0, key), at: .zero)
    receiver.take(packet(1, 1, at: 0, [1]), at: .zero)
    receiver.take(report(0, 0, at: 1000), at: .zero)
    receiver.take(report(1, 0, at: 1000), at: .zero)
    #expect(payloads(&receiver, at: .zero).count == 4)
    for _ in 0..<3 { receiver.take(report(1, 48_000, at: 2200), at: .zero) }
    receiver.take(packet(1, 2, at: 48_000, [2]), at: .zero)
    let next = receiver.next(at: .zero)
    let moved = try #require(next).bytes[4..<8].reduce(0) { $0 << 8 | Int($1) }
    #expect(moved == 1 << 16 + 48_000 + 9600)
    #expect(receiver.start(of: 1) == 0)
  }

  @Test func `the end is a BYE of all streams, or another sender`() throws {
    var receiver = try receiver()
    receiver.take(packet(0, 1, at: 0, key), at: .zero)
    receiver.take(bye(0), at: .zero)
    #expect(!receiver.hasEnded)
    receiver.take(bye(1), at: .zero)
    #expect(receiver.hasEnded)
    #expect(payloads(&receiver, at: .zero) == sets + [key])
    var changed = try self.receiver(streams: 1)
    changed.take(packet(0, 1, at: 0, key), at: .zero)
    changed.take(packet(0, 2, at: 0, other, source: 10), at: .zero)
    #expect(changed.hasEnded)
    #expect(payloads(&changed) == sets + [key])
  }
}
