import Foundation
import RTSP
import Support
import Testing

/// Streams of which packets are missing, and packets that contain nonsense.
@Suite(.mayBlock) struct RTPLossTests {
  /// An encoding with the payloads of its pictures.
  struct Encoding: CustomTestStringConvertible, Sendable {
    let name: String
    let format: String
    /// The parameter sets that the description states.
    let sets: [[UInt8]]
    /// A keyframe, and its fragments.
    let key: [UInt8]
    let fragments: [[UInt8]]
    /// A picture that is not a keyframe, and a slice of it that is not the first one.
    let other: [UInt8]
    let slice: [UInt8]
    /// Payloads with which a picture can begin.
    let starts: [[UInt8]]
    /// The first bytes of payloads.
    let headers: [[UInt8]]

    var testDescription: String { name }

    static let h264 = Encoding(
      name: "H264", format: "sprop-parameter-sets=Z2Q=,aOk=", sets: [[0x67, 0x64], [0x68, 0xE9]],
      key: [0x65, 0x88],
      fragments: [[0x7C, 0x85, 0x88], [0x7C, 0x05, 0x99], [0x7C, 0x45, 0x99]],
      other: [0x41, 0x9A], slice: [0x41, 0x40],
      starts: [[0x09, 0x10], [0x67, 1], [0x06, 5], [0x78, 0, 2, 0x67, 1], [0x7C, 0x85, 0x88]],
      headers: [1, 5, 6, 7, 9, 24, 28, 29].map { [$0] })
    static let h265 = Encoding(
      name: "H265", format: "sprop-sps=QgE=;sprop-pps=RAE=", sets: [[0x42, 1], [0x44, 1]],
      key: [0x26, 1, 0x80],
      fragments: [[0x62, 1, 0x93, 0x80], [0x62, 1, 0x13, 0x99], [0x62, 1, 0x53, 0x99]],
      other: [0x02, 1, 0x80], slice: [0x02, 1, 0x40],
      starts: [
        [0x46, 1, 0x10], [0x42, 1, 1], [0x4E, 1, 5], [0x60, 1, 0, 3, 0x42, 1, 1],
        [0x62, 1, 0x93, 0x80],
      ], headers: [1, 19, 32, 33, 35, 39, 48, 49].map { [$0 << 1, 1] })
  }

  private static let encodings = [Encoding.h264, .h265]

  private func receiver(_ encoding: Encoding, format: String? = nil) throws -> RTPReceiver {
    let text = """
      v=0
      m=video 0 RTP/AVP 96
      a=rtpmap:96 \(encoding.name)/90000
      a=fmtp:96 \(format ?? encoding.format)
      """
    return RTPReceiver(try SessionDescription(Array(text.utf8)).media, startTimestamps: [:])
  }

  private func packet(
    _ sequence: UInt16, at time: UInt32, _ payload: [UInt8], ends: Bool = true, type: UInt8 = 96,
    first: UInt8 = 0x80
  ) -> PlayingSession.Packet {
    let stamp = (0..<4).map { UInt8(truncatingIfNeeded: time >> (24 - 8 * UInt32($0))) }
    return PlayingSession.Packet(
      media: 0, isControl: false,
      bytes: [first, (ends ? 0x80 : 0) | type, UInt8(sequence >> 8), UInt8(sequence & 0xFF)]
        + stamp + [0, 0, 0, 9] + payload)
  }

  private func payloads(_ receiver: inout RTPReceiver) -> [[UInt8]] {
    var payloads: [[UInt8]] = []
    while let next = receiver.next(at: .zero) { payloads.append(Array(next.bytes.dropFirst(12))) }
    return payloads
  }

  @Test(arguments: encodings, [nil, 1, 2, 3])
  func `a keyframe of which a packet is missing is left out`(
    encoding: Encoding, missing: Int?
  ) throws {
    var receiver = try receiver(encoding)
    let (fragments, other) = (encoding.fragments, encoding.other)
    let packets = [
      packet(0, at: 1, other), packet(1, at: 2, fragments[0], ends: false),
      packet(2, at: 2, fragments[1], ends: false), packet(3, at: 2, fragments[2]),
      packet(4, at: 3, other), packet(5, at: 4, encoding.key),
    ]
    for (number, packet) in packets.enumerated() where number != missing {
      receiver.take(packet, at: .zero)
    }
    let middle = missing == nil ? encoding.sets + fragments + [other] : []
    #expect(payloads(&receiver) == [other] + middle + encoding.sets + [encoding.key])
    #expect(receiver.leftOut == (missing == nil ? 0 : 2))
  }

  @Test(arguments: encodings) func `a stream that begins within a picture starts with the next one`(
    encoding: Encoding
  ) throws {
    for start in [encoding.fragments[1], encoding.slice] {
      var receiver = try receiver(encoding)
      receiver.take(packet(7, at: 1, start, ends: false), at: .zero)
      receiver.take(packet(8, at: 1, encoding.key), at: .zero)
      receiver.take(packet(9, at: 2, encoding.key), at: .zero)
      #expect(payloads(&receiver) == encoding.sets + [encoding.key])
    }
  }

  @Test(arguments: encodings) func `a keyframe that begins after a loss is passed on`(
    encoding: Encoding
  ) throws {
    for start in encoding.starts {
      var receiver = try receiver(encoding)
      receiver.take(packet(1, at: 1, encoding.key), at: .zero)
      receiver.take(packet(3, at: 2, start, ends: false), at: .zero)
      receiver.take(packet(4, at: 2, encoding.key), at: .zero)
      #expect(payloads(&receiver).suffix(2).contains(encoding.key), "\(start)")
      #expect(receiver.leftOut == 0, "\(start)")
    }
  }

  @Test func `a picture that is too large is left out`() throws {
    var receiver = try receiver(.h264)
    let large = [0x7C, 0x05] + [UInt8](repeating: 1, count: 60_000)
    receiver.take(packet(0, at: 1, Encoding.h264.fragments[0], ends: false), at: .zero)
    for number in 1..<700 {
      receiver.take(packet(UInt16(number), at: 1, large, ends: number == 699), at: .zero)
    }
    #expect(receiver.leftOut == 1)
    receiver.take(packet(700, at: 2, Encoding.h264.key), at: .zero)
    #expect(payloads(&receiver) == Encoding.h264.sets + [Encoding.h264.key])
  }

  @Test func `packets without content of the stream are not losses`() throws {
    var receiver = try receiver(.h264)
    let (key, other) = (Encoding.h264.key, Encoding.h264.other)
    receiver.take(packet(1, at: 1, key), at: .zero)
    receiver.take(packet(2, at: 1, [1], type: 97), at: .zero)
    receiver.take(packet(3, at: 1, [0, 0, 3], first: 0xA0), at: .zero)
    receiver.take(packet(4, at: 1, []), at: .zero)
    receiver.take(packet(5, at: 2, other), at: .zero)
    #expect(payloads(&receiver) == Encoding.h264.sets + [key, other])
  }

  @Test func `a packet that comes a little late is ignored, and a long step back is a loss`() throws
  {
    var receiver = try receiver(.h264)
    let (key, other) = (Encoding.h264.key, Encoding.h264.other)
    receiver.take(packet(20_000, at: 1, key), at: .zero)
    receiver.take(packet(19_950, at: 1, other), at: .zero)
    receiver.take(packet(20_001, at: 2, other), at: .zero)
    receiver.take(packet(5000, at: 3, other), at: .zero)
    receiver.take(packet(5001, at: 4, key), at: .zero)
    #expect(payloads(&receiver) == Encoding.h264.sets + [key, other] + Encoding.h264.sets + [key])
    #expect(receiver.leftOut == 1)
  }

  @Test func `the description's parameter sets are not used once the stream has its own`() throws {
    var receiver = try receiver(.h264)
    let key = Encoding.h264.key
    receiver.take(packet(1, at: 1, [0x67, 9], ends: false), at: .zero)
    receiver.take(packet(2, at: 1, key), at: .zero)
    receiver.take(packet(3, at: 2, key), at: .zero)
    #expect(payloads(&receiver) == [[0x67, 9], key, key])
  }

  @Test(arguments: [
    String(repeating: "Z2Q=,", count: 17), Data(count: 8193).base64EncodedString(),
  ]) func `too many parameter sets are ignored`(sets: String) throws {
    var receiver = try receiver(.h264, format: "sprop-parameter-sets=\(sets)")
    receiver.take(packet(1, at: 1, Encoding.h264.key), at: .zero)
    #expect(payloads(&receiver) == [Encoding.h264.key])
  }

  @Test(arguments: [UInt32(324_000_001), 0 &- 324_000_001])
  func `a step of more than an hour ends the stream`(time: UInt32) throws {
    var receiver = try receiver(.h264)
    receiver.take(packet(1, at: 0, Encoding.h264.key), at: .zero)
    receiver.take(packet(2, at: 324_000_000, Encoding.h264.key), at: .zero)
    receiver.take(packet(3, at: 0, Encoding.h264.key), at: .zero)
    #expect(!receiver.hasEnded)
    receiver.take(packet(4, at: time, Encoding.h264.key), at: .zero)
    #expect(receiver.hasEnded)
    #expect(payloads(&receiver).filter { $0 == Encoding.h264.key }.count == 3)
  }

  @Test(arguments: [
    ("RTP/AVP", 1000, true), ("RTP/AVPF", 90_000, true), ("RTP/AVP", 999, false),
    ("RTP/SAVP", 90_000, false),
  ]) func `a stream needs a profile and a clock rate that are supported`(
    profile: String, rate: Int, isSupported: Bool
  ) {
    let text = "v=0\nm=video 0 \(profile) 96\na=rtpmap:96 H264/\(rate)"
    let description = try? SessionDescription(Array(text.utf8))
    #expect((description != nil) == isSupported)
  }

  @Test(arguments: encodings)
  func `random payloads are rejected or passed on without a crash`(encoding: Encoding) throws {
    var random = SeededRandom(seed: 20)
    var count = 0
    for _ in 0..<300 {
      var receiver = try receiver(encoding)
      var time: UInt32 = 0
      for number in 0..<40 {
        let size = Int.random(in: 0..<60, using: &random)
        let noise = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        if Bool.random(using: &random) { time += 3000 }
        let header = encoding.headers.randomElement(using: &random) ?? []
        // Half of the packets may have extensions, further senders and padding.
        let isPlain = Bool.random(using: &random)
        let first = (UInt8.random(in: 0...255, using: &random) | 0x80) & 0xBF
        let whole = packet(
          UInt16(number), at: time, header + noise, ends: Bool.random(using: &random),
          first: isPlain ? 0x80 : first)
        let cut = Int.random(in: 0..<9, using: &random) == 0 ? size : whole.bytes.count
        receiver.take(
          PlayingSession.Packet(
            media: 0, isControl: Int.random(in: 0..<9, using: &random) == 0,
            bytes: Array(whole.bytes.prefix(cut))), at: .zero)
        while receiver.next(at: .seconds(6)) != nil { count += 1 }
      }
    }
    // Otherwise the test would show nothing.
    #expect(count > 1000)
  }
}
