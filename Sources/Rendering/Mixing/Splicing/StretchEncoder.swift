import Media
import Planning
import Threads
import Timeline

/// Encodes a stretch of a mix into packets on a grid, and keeps the last few with their sound.
///
/// Packets are encoded on a thread of their own, while the next sound is mixed.
final class StretchEncoder {
  /// The number of packets that are encoded before those that are used. libav's encoder begins with coarse
  /// quantization. It reaches its bit rate after about 28 packets, and its usual error after about 90 in quiet sound and
  /// 500 in noisy sound, whose error energy is up to twice the usual one until then.
  static let lead = 96

  /// The encoder delays packets by two: a packet needs the sound of the two places after it.
  private static let delay = 2
  /// The maximum number of packets by which mixing runs ahead.
  private static let ahead = 64

  /// The packets that have not been forgotten, by number.
  private(set) var packets: [Int: [UInt8]] = [:]
  /// The sound of each packet's place that has not been forgotten.
  private(set) var blocks: [Int: SoundBlock] = [:]
  private let thread: ItemThread<SoundBlock, Void>
  /// For each place whose sound was added, the packets that the encoder then returned.
  private let encoded: BoundedQueue<[(number: Int, bytes: [UInt8])]>
  /// The place whose sound is read next.
  private var next: Int
  /// The place after the last one whose packets were taken from the thread.
  private var taken: Int
  private let read: (Int) throws -> SoundBlock
  /// The first packet and place that have not been forgotten.
  private var kept: Int

  /// Creates an encoder whose first useful packet is `first`.
  ///
  /// - Parameter read: returns the sound at a packet's place. The places are in order, beginning with ``lead`` places
  ///   before `first`.
  init(
    _ settings: AudioEncoder.Settings, from first: Int, read: @escaping (Int) throws -> SoundBlock
  ) throws {
    let start = first - Self.lead
    (next, taken, kept) = (start, start, start)
    self.read = read
    let encoder = try AudioEncoder(settings)
    // Only the thread uses the encoder.
    nonisolated(unsafe) let owned = encoder
    // It never keeps the thread waiting. No more packets wait than are encoded for one that is needed.
    let encoded = BoundedQueue<[(number: Int, bytes: [UInt8])]>(capacity: .max)
    self.encoded = encoded
    thread = try .start(named: "encode sound", room: Self.ahead, for: "the sound") { next in
      defer { encoded.close() }
      while let block = try next() {
        var packets: [(number: Int, bytes: [UInt8])] = []
        try owned.encode(block) { packet in
          let number = start + Int((packet.time ?? 0) / PacketGrid.length)
          packets.append((number, packet.withUnsafeBytes { Array($0) }))
        }
        _ = encoded.put(packets)
      }
    }
  }

  /// The packet with a number, which must not have been forgotten. Encodes as much as is needed.
  ///
  /// - Parameter last: the last of the packets that are certainly needed. Their sound is read ahead.
  func packet(_ number: Int, upTo last: Int? = nil) throws -> [UInt8] {
    precondition(number >= kept, "the packet was forgotten")
    let wanted = max(number, min(last ?? number, number + Self.ahead))
    while next <= wanted + Self.delay {
      let block = try read(next)
      blocks[next] = block
      next += 1
      try thread.add(block)
    }
    while packets[number] == nil, taken < next, let some = encoded.take() {
      for packet in some { packets[packet.number] = packet.bytes }
      taken += 1
    }
    guard let packet = packets[number] else {
      throw thread.stop()
        ?? MediaError(
          .encoderFailed, "the encoder delays packets by more than two", on: "the sound")
    }
    return packet
  }

  /// Forgets packets and sound before a number.
  func forget(before number: Int) {
    while kept < number {
      packets[kept] = nil
      blocks[kept] = nil
      kept += 1
    }
  }
}
