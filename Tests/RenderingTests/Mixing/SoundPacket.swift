import Foundation
import Media
import Rendering
import Support

/// A packet of AAC: its first sample, and a hash of its bytes without ADTS header.
struct SoundPacket: Hashable {
  /// The number of samples in a packet.
  static let length = 1024

  let start: Int64
  let hash: String

  /// The packets of a file's first audio stream, according to `ffmpeg`.
  ///
  /// If the container's times do not count samples, the packets after the first are counted.
  ///
  /// - Parameter seconds: the time after which packets are left out; `nil` for none.
  static func all(in path: String, upTo seconds: Int? = nil) throws -> [SoundPacket] {
    let text = String(
      decoding: try Tool.run(
        "ffmpeg",
        ["-v", "error", "-i", path] + limit(seconds) + [
          "-map", "0:a:0", "-c", "copy", "-bsf:a", "aac_adtstoasc", "-f", "framehash", "-hash",
          "md5", "-",
        ]), as: UTF8.self)
    var (ticks, rate, packets) = (Int64(1), Int64(1), [SoundPacket]())
    for line in text.split(separator: "\n") {
      if let value = line.value(after: "#tb 0: 1/") { ticks = value }
      if let value = line.value(after: "#sample_rate 0: ") { rate = value }
      let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      guard !line.hasPrefix("#"), fields.count >= 6, let time = Int64(fields[2]) else { continue }
      let first = packets.first?.start ?? Int64((Double(time * rate) / Double(ticks)).rounded())
      packets.append(
        SoundPacket(
          start: ticks == rate ? time : first + Int64(packets.count * length), hash: fields[5]))
    }
    return packets
  }

  /// The samples that a decoder makes of a file's packets, per channel. They begin with the packet that
  /// ``all(in:upTo:)`` lists first, even if the container hides it.
  static func decoded(
    _ path: String, upTo seconds: Int? = nil, channels: Int
  ) throws -> [[Float]] {
    let data = try Tool.run(
      "ffmpeg",
      ["-v", "error", "-flags", "bitexact", "-flags2", "+skip_manual", "-i", path]
        + limit(seconds) + ["-map", "0:a:0", "-f", "f32le", "-"])
    let samples = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    return (0..<channels).map { channel in
      stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
    }
  }

  private static func limit(_ seconds: Int?) -> [String] {
    seconds.map { ["-t", "\($0)"] } ?? []
  }
}

extension Substring {
  /// The number after a prefix; `nil` if the line begins otherwise.
  fileprivate func value(after prefix: String) -> Int64? {
    hasPrefix(prefix) ? Int64(dropFirst(prefix.count)) : nil
  }
}

/// An ordinary encoding of part of a mix, against which spliced sound is judged.
struct OrdinaryEncoding {
  /// The number of packets before the first one whose quality matters, so that the encoder has reached its usual quality.
  private static let lead = 96
  /// The number of packets from the place of interest on.
  private static let rest = 4

  /// The decoded packets by the place of their first sample.
  private(set) var blocks: [Int: [[Float]]] = [:]

  /// Encodes and decodes the packets around a place. Beyond its ends, the mix is silent.
  ///
  /// - Parameter start: the first packet whose quality matters, at or before the place.
  init(
    of mix: [[Float]], around place: Int, from start: Int, _ settings: AudioEncoder.Settings
  ) throws {
    let length = SoundPacket.length
    let first = start - Self.lead * length
    let sound = mix.map { channel in
      (first..<place + Self.rest * length).map { channel.indices.contains($0) ? channel[$0] : 0 }
    }
    let encoder = try AudioEncoder(settings)
    var packets: [(start: Int, bytes: [UInt8])] = []
    let keep = { (packet: Packet) in
      packets.append((first + Int(packet.time ?? 0), packet.withUnsafeBytes { Array($0) }))
    }
    try encoder.encode(sound, keep)
    try encoder.finish(keep)
    let decoder = try FrameDecoder(
      encoder.parameters, channels: settings.channels, named: "an ordinary encoding")
    // The first of these lacks the one that it overlaps with.
    for packet in packets where packet.start >= place - 4 * length {
      blocks[packet.start] = try decoder.decode(packet.bytes)
    }
  }
}
