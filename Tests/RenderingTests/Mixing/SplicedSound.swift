import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// A mix of one source whose sound is spliced, with everything against which it is judged.
struct SplicedSound {
  /// A copied packet, and the difference between a sample's place in the file and in the source.
  private struct Copy: Hashable {
    let start: Int64
    let shift: Int64
  }

  /// The result of a comparison with an ordinary encoding: the energy of the error, and the energy that it may have.
  private struct Judgment {
    let place: Int
    let channel: Int
    let error: Float
    let limit: Float

    var isWorse: Bool { error > limit }
  }

  private static let length = SoundPacket.length
  /// An energy that is inaudible in any sound: that of rounding a packet to 16 bits.
  private static let inaudible = Float(length) / Float(1 << 30)
  /// The factor up to which two encodings of the same sound count as similar.
  private static let similar: Float = 1.5

  let spliced: SoundSplicer.Spliced
  /// The mix before it is encoded, and the spliced sound, per channel.
  let mix: [[Float]]
  let heard: [[Float]]
  /// The packets of the file, and the first samples of those that are copied to their place.
  let packets: [SoundPacket]
  let copied: [Int64]
  private let description: MixDescription
  private let path: String
  private let source: AudioSource
  /// The packets of the source, and what they decode to.
  private let originals: [SoundPacket]
  private let decoded: [[Float]]
  private let copies: [Copy]
  private let settings: AudioEncoder.Settings

  /// Splices a mix.
  ///
  /// - Parameter seconds: how much of the source is read, at least as much as the mix uses; `nil` for all of it.
  init(_ mix: TestMix, upTo seconds: Int? = nil, in folder: TemporaryDirectory) throws {
    description = mix.description
    path = folder.path("spliced.mp4")
    let splicer = try #require(
      try SoundSplicer(description) { try FileByteSource(path: $0.name) })
    spliced = try #require(try splicer.splice(to: path))
    self.mix = try mix.samples()
    let channels = description.settings.channels
    heard = try PCM.read(path, channels: channels)
    packets = try SoundPacket.all(in: path)
    source = try #require(description.sources.first)
    originals = try SoundPacket.all(in: source.name, upTo: seconds)
    decoded = try SoundPacket.decoded(source.name, upTo: seconds, channels: channels)
    copies = Self.copies(of: originals, among: packets, in: description)
    copied = copies.map(\.start)
    var settings = AudioEncoder.Settings(description.settings)
    let sourceRate = try SoundPackets(
      source: try FileByteSource(path: source.name), named: source.name, stream: source.stream,
      origin: source.start, from: 0
    ).parameters.bitRate
    settings.bitRate = max(settings.bitRate, min(sourceRate, 160_000 * channels))
    self.settings = settings
  }

  /// The packets whose bytes are those of the source's packet at the place from which the mix's ranges copy.
  private static func copies(
    of originals: [SoundPacket], among packets: [SoundPacket], in mix: MixDescription
  ) -> [Copy] {
    let (known, skipped) = (Set(originals), mix.skippedSamples ?? 0)
    let count = mix.sampleCount - skipped
    return packets.compactMap { packet in
      let shifts = (mix.copiedParts?.ranges ?? []).filter { range in
        max(packet.start, 0) >= range.targetSample - skipped
          && min(packet.start + Int64(length), count) <= range.end - skipped
      }.map { $0.targetSample - $0.sourceSample - skipped }
      let shift = shifts.first {
        known.contains(SoundPacket(start: packet.start - $0, hash: packet.hash))
      }
      return shift.map { Copy(start: packet.start, shift: $0) }
    }
  }

  /// The number of samples in the file.
  var sampleCount: Int { Int(description.sampleCount - (description.skippedSamples ?? 0)) }

  /// Checks that copied packets are in their places, that they decode to exactly what they do in the source, and that
  /// the error at seams is not greater than that of an ordinary encoding.
  ///
  /// - Parameter hasNoise: whether the source has substituted noise, which decoders generate anew each time. Its copies
  ///   are then not compared sample by sample.
  /// - Returns: the places of seams: the first packet after each change between copied and encoded ones.
  @discardableResult
  func check(
    hasNoise: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [Int] {
    try checkPlaces(sourceLocation)
    if !hasNoise { checkSamples(sourceLocation) }
    let isCopied = Set(copied)
    var (seams, stretch) = ([Int](), Int(packets.first?.start ?? 0))
    for (before, after) in zip(packets, packets.dropFirst())
    where isCopied.contains(before.start) != isCopied.contains(after.start) {
      let seam = Int(after.start)
      seams.append(seam)
      let isJoin = isCopied.contains(after.start)
      if !isJoin { stretch = seam }
      let ordinary = try OrdinaryEncoding(of: mix, around: seam, from: seam, settings)
      let noise = try (hasNoise ? noise(at: seam) : nil)
      var judgments = try judge(seam, against: ordinary, factor: 1, noise: noise)
      // The encoded packet that overlaps with another encoded one.
      let beside = seam + (isJoin ? -Self.length : Self.length)
      var similar = try judge(beside, against: ordinary, factor: Self.similar, noise: nil)
      if similar.contains(where: \.isWorse), stretch < seam {
        // Depending on its state, libav's encoder codes the packets beside a click up to 100 times worse. The sound
        // then has to be similar to that of an encoder in the same state: one that began as early as the file's.
        let continued = try OrdinaryEncoding(of: mix, around: seam, from: stretch, settings)
        similar = try judge(beside, against: continued, factor: Self.similar, noise: nil)
      }
      judgments += similar
      for judgment in judgments where judgment.isWorse {
        Issue.record("\(judgment), seam \(seam)", sourceLocation: sourceLocation)
      }
    }
    return seams
  }

  private func checkPlaces(_ location: SourceLocation) throws {
    #expect(
      zip(packets, packets.dropFirst()).allSatisfy { $1.start - $0.start == Int64(Self.length) },
      sourceLocation: location)
    #expect(heard.allSatisfy { $0.count >= sampleCount }, sourceLocation: location)
    let length = try Tool.run(
      "ffprobe", ["-v", "error", "-show_entries", "stream=duration_ts", "-of", "csv=p=0", path])
    #expect(
      String(decoding: length, as: UTF8.self).hasPrefix("\(sampleCount)"), sourceLocation: location)
    let (known, inPlace) = (Set(originals.map(\.hash)), Set(copied))
    let displaced = packets.filter { known.contains($0.hash) && !inPlace.contains($0.start) }
    #expect(displaced.isEmpty, "copied to another place", sourceLocation: location)
    let count = copied.reduce(0) {
      $0 + max(min($1 + Int64(Self.length), Int64(sampleCount)) - max($1, 0), 0)
    }
    #expect(
      try spliced.copied == RationalTime(count, Int64(settings.sampleRate)),
      sourceLocation: location)
  }

  /// Checks the samples of copied packets that follow another one of the same range.
  private func checkSamples(_ location: SourceLocation) {
    let known = Set(copies)
    let exact = copies.filter {
      known.contains(Copy(start: $0.start - Int64(Self.length), shift: $0.shift))
    }
    #expect(!exact.isEmpty, sourceLocation: location)
    let wrong = exact.first { copy in
      let range = range(at: Int(copy.start))
      return (0..<heard.count).contains { channel in
        heard[channel][range] != original(channel, range, shiftedBy: copy.shift)
      }
    }
    #expect(
      wrong == nil, "the source sounds different at \(wrong?.start ?? 0)", sourceLocation: location)
  }

  /// The audible samples of a packet in the file.
  private func range(at start: Int) -> Range<Int> {
    (max(start, 0)..<max(start + Self.length, 0)).clamped(to: 0..<sampleCount)
  }

  /// The decoded source at samples of the file.
  private func original(
    _ channel: Int, _ range: Range<Int>, shiftedBy shift: Int64
  ) -> ArraySlice<Float> {
    let offset = Int(shift + (originals.first?.start ?? 0))
    return decoded[channel][range.lowerBound - offset..<range.upperBound - offset]
  }

  /// Compares a packet's sound with that of an ordinary encoding of the same samples on the same grid.
  ///
  /// - Parameters:
  ///   - factor: the factor up to which the error may be greater.
  ///   - noise: sound whose error may be added; `nil` for none.
  private func judge(
    _ place: Int, against ordinary: OrdinaryEncoding, factor: Float, noise: [[Float]]?
  ) throws -> [Judgment] {
    let range = range(at: place)
    guard !range.isEmpty else { return [] }
    let usual = try #require(ordinary.blocks[place])
    return (0..<mix.count).map { channel -> Judgment in
      func error(_ samples: some Sequence<Float>) -> Float {
        zip(samples, mix[channel][range]).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
      }
      let limit = factor * error(usual[channel][(range.lowerBound - place)...])
      let allowance = noise.map { error($0[channel]) } ?? 0
      return Judgment(
        place: place, channel: channel, error: error(heard[channel][range]),
        limit: max(limit + allowance, Self.inaudible))
    }
  }

  /// The source's own sound at a seam, decoded anew, so that substituted noise differs from that of the mix.
  private func noise(at seam: Int) throws -> [[Float]] {
    let copy = try #require(
      copies.first { abs($0.start - Int64(seam)) <= Int64(Self.length) })
    let start = Int64(seam) - copy.shift
    let packets = try SoundPackets(
      source: try FileByteSource(path: source.name), named: source.name, stream: source.stream,
      origin: source.start, from: start - 2 * Int64(Self.length))
    let decoder = try FrameDecoder(
      try AudioEncoder(settings).parameters, channels: settings.channels, named: source.name)
    while case .packet(let place) = try packets.next() {
      guard place.start >= start - Int64(Self.length) else { continue }
      let block = try decoder.decode(try #require(packets.aacFrame()).bytes)
      if place.start == start { return try #require(block) }
    }
    throw MediaError(.readFailed, "the packet at \(start) is missing", on: source.name)
  }
}
