import Media
import Planning
import Timeline

/// Makes the encoded packets that adjoin copied ones, and checks what is heard there.
///
/// A seam is accepted only if decoding it, with the copied packet beside it, comes close enough to the mix. The error
/// is the sum of squared differences.
///
/// - Where an encoded packet overlaps with a copied one, the error must not exceed that of an ordinary encoding of the
///   same samples. Usually it is half as large, because only one of the two packets is encoded anew. If the source has
///   substituted noise, decoders generate it anew each time, so the copied packets' own error is added to the limit.
/// - Where it overlaps with another encoded packet, the error may be 1.5 times that of an ordinary encoding, because
///   two encodings of the same sound differ by that much.
///
/// An error that is inaudible in any sound is always accepted.
struct SeamMaker {
  private let settings: AudioEncoder.Settings
  private let parameters: StreamParameters

  /// An error that is inaudible in any sound, per sample: that of rounding to 16 bits.
  private static let inaudible = Float(1) / Float(1 << 30)

  /// The factor between the errors of two encodings of the same sound up to which they count as similar.
  private static let similar: Float = 1.5

  /// Creates a maker for packets with the given settings and coding parameters.
  init(_ settings: AudioEncoder.Settings, parameters: StreamParameters) {
    self.settings = settings
    self.parameters = parameters
  }

  /// The packet to encode directly after a copied one; `nil` if it does not fit.
  ///
  /// - Parameters:
  ///   - copied: the copied packet, and the one that follows it in its source.
  ///   - plain: an encoder whose first packet is this one, and which continues after it.
  func packet(
    _ number: Int, after copied: (last: [UInt8], next: [UInt8]), continuing plain: StretchEncoder
  ) throws -> [UInt8]? {
    guard let window = AACWindow(copied.last), window.endsLong else { return nil }
    let following = try plain.packet(number + 1)
    let ordinary = try plain.packet(number)
    let packet =
      window.isKaiserBessel
      ? ordinary : try matched(number, changing: number, in: .rising, of: plain)
    guard AACWindow(packet)?.beginsLong == true,
      try fits(
        [copied.last, packet, following],
        asWellAs: [try plain.packet(number - 1), ordinary, following],
        copying: [copied.last, copied.next], from: number, seam: 1, of: plain)
    else { return nil }
    return packet
  }

  /// The packet to encode directly before a copied one; `nil` if it does not fit.
  ///
  /// - Parameters:
  ///   - copied: the copied packet, and the one before it in its source.
  ///   - plain: an encoder that has encoded the packets before this one.
  func packet(
    _ number: Int, before copied: (previous: [UInt8], first: [UInt8]), ending plain: StretchEncoder
  ) throws -> [UInt8]? {
    guard let window = AACWindow(copied.previous), window.endsLong,
      AACWindow(copied.first)?.beginsLong == true
    else { return nil }
    let following = try plain.packet(number + 1)
    let (before, ordinary) = (try plain.packet(number - 1), try plain.packet(number))
    var packet = ordinary
    if !window.isKaiserBessel {
      packet = try matched(number, changing: number + 1, in: .falling, of: plain)
      // The shapes of other channels' windows are in the middle of the packet.
      guard let own = AACWindow(packet), own.isKaiserBessel, own.isOnly, settings.channels <= 2
      else { return nil }
      packet = own.reshaped(packet)
    }
    guard AACWindow(packet)?.endsLong == true,
      try fits(
        [before, packet, copied.first], asWellAs: [before, ordinary, following],
        copying: [copied.previous, copied.first], from: number, seam: 2, of: plain)
    else { return nil }
    return packet
  }

  /// A packet whose sound overlaps with that of a packet with another window at one of its two places.
  private func matched(
    _ number: Int, changing place: Int, in half: WindowMatch.Half, of plain: StretchEncoder
  ) throws -> [UInt8] {
    let encoder = try StretchEncoder(settings, from: number) { next in
      let block = plain.blocks[next] ?? []
      return next == place ? block.map { WindowMatch.matched($0, in: half) } : block
    }
    return try encoder.packet(number)
  }

  /// Whether the second and third of three packets decode to the sound at their places about as well as three others.
  ///
  /// - Parameters:
  ///   - originals: the source's packets that overlap at the seam.
  ///   - seam: 1 if the second packet overlaps with the copied one before it, 2 if the third one, which is copied,
  ///     overlaps with the second one.
  private func fits(
    _ packets: [[UInt8]], asWellAs others: [[UInt8]], copying originals: [[UInt8]],
    from number: Int, seam: Int, of plain: StretchEncoder
  ) throws -> Bool {
    guard let heard = try decoded(packets), let ordinary = try decoded(others),
      let original = try decoded(originals)
    else { return false }
    for (place, number) in [(1, number), (2, number + 1)] {
      guard let sound = plain.blocks[number] else { return false }
      for channel in sound.indices {
        let usual = Self.error(of: ordinary[place][channel], from: sound[channel])
        let limit = max(
          place == seam
            ? usual + Self.error(of: original[1][channel], from: sound[channel])
            : Self.similar * usual,
          Self.inaudible * Float(PacketGrid.length))
        guard Self.error(of: heard[place][channel], from: sound[channel]) <= limit else {
          return false
        }
      }
    }
    return true
  }

  /// Decodes consecutive packets. Returns `nil` if the decoder reports damage.
  private func decoded(_ packets: [[UInt8]]) throws -> [SoundBlock]? {
    let decoder = try FrameDecoder(parameters, channels: settings.channels, named: "a seam")
    var blocks: [SoundBlock] = []
    for packet in packets {
      guard let block = try decoder.decode(packet), block[0].count == Int(PacketGrid.length) else {
        return nil
      }
      blocks.append(block)
    }
    return blocks
  }

  /// The sum of squared differences.
  private static func error(of samples: [Float], from sound: [Float]) -> Float {
    zip(samples, sound).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
  }
}
