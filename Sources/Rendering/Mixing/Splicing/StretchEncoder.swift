import Media
import Planning
import Timeline

/// A packet's length of sound, per channel.
typealias SoundBlock = [[Float]]

/// Encodes a stretch of a mix into packets on a grid, and keeps the last few with their sound.
final class StretchEncoder {
  /// The number of packets that are encoded before those that are used. libav's encoder begins with coarse
  /// quantization. It reaches its bit rate after about 28 packets, and its usual error after about 90 in quiet sound and
  /// 500 in noisy sound, whose error energy is up to twice the usual one until then.
  static let lead = 96

  /// The packets that have not been forgotten, by number.
  private(set) var packets: [Int: [UInt8]] = [:]
  /// The sound that has not been forgotten, by the number of the packet whose place it has.
  private(set) var blocks: [Int: SoundBlock] = [:]
  private let encoder: AudioEncoder
  private let first: Int
  private var next: Int
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
    encoder = try AudioEncoder(settings)
    self.first = first - Self.lead
    (next, kept) = (self.first, self.first)
    self.read = read
  }

  /// The packet with a number, which must not have been forgotten. Encodes as much as is needed.
  func packet(_ number: Int) throws -> [UInt8] {
    while true {
      if let packet = packets[number] { return packet }
      // The encoder delays packets by two.
      precondition(next <= number + 4, "the packet was forgotten")
      let block = try read(next)
      blocks[next] = block
      next += 1
      try encoder.encode(block) { packet in
        let place = first + Int((packet.time ?? 0) / PacketGrid.length)
        packets[place] = packet.withUnsafeBytes { Array($0) }
      }
    }
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
