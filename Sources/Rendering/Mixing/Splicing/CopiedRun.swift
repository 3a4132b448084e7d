import Media
import Planning
import Timeline

/// A part of a file in which one source is heard alone, and the places of that source's packets in the file.
///
/// Decoding a packet adds its first half to the second half of the packet before, so each seam needs a packet's length
/// of the source's sound beside the copied packets.
struct CopiedRun {
  /// The index of the range of the mix in which it is.
  let range: Int
  /// The stream whose packets are copied.
  let source: AudioSource
  /// The difference between a sample's place in the file and in the source.
  let shift: Int64
  /// The samples of the file in which the source is heard alone.
  let samples: Range<Int64>
  /// The samples of the file at which the source is audible according to its container.
  let audible: Range<Int64>
  /// Whether reading can begin at any packet. If not, each pass begins at the first packet of the source.
  let isExact: Bool
  /// Bits per second of the source; 0 if unknown.
  let bitRate: Int
  /// The places of its packets.
  let grid: PacketGrid
  /// The packets that are not known to be missing or damaged.
  var packets: Range<Int>

  /// Reads the first packet of a range with an index; `nil` if its source's packets cannot be copied.
  init?(
    _ range: CopiedSoundRange, at index: Int, of mix: MixDescription,
    open: (AudioSource) throws -> any ByteSource
  ) throws {
    let (skipped, source) = (mix.skippedSamples ?? 0, mix.sources[range.source])
    let shift = range.targetSample - range.sourceSample - skipped
    let first = max(range.targetSample - skipped, 0)
    let end = min(range.end, mix.sampleCount) - skipped
    guard first < end else { return nil }
    // Two packets are needed before the first sample, and the search goes back to one that begins earlier.
    let packets = try SoundPackets(
      source: try open(source), named: source.name, stream: source.stream, origin: source.start,
      from: first - shift - 4 * PacketGrid.length)
    guard case .packet(let place) = try packets.next(), place.count <= PacketGrid.length,
      let frame = packets.aacFrame(),
      frame.configuration.sampleRate == mix.settings.sampleRate,
      frame.configuration.channels == mix.settings.channels, packets.start < packets.end
    else { return nil }
    self.range = index
    self.source = source
    self.shift = shift
    samples = first..<end
    audible = packets.start + shift..<packets.end + shift
    isExact = packets.isExact
    bitRate = packets.parameters.bitRate
    grid = PacketGrid(of: place.start + shift)
    let lower = grid.packet(holding: place.start + shift)
    self.packets = lower..<max(lower, grid.packet(from: audible.upperBound))
  }

  /// The first packet that can follow an encoded one.
  var firstJoin: Int {
    max(
      grid.packet(from: max(samples.lowerBound, audible.lowerBound)), packets.lowerBound + 1)
  }

  /// The last packet that can be encoded after a copied one.
  var lastDeparture: Int {
    min(
      grid.packet(holding: min(samples.upperBound, audible.upperBound)) - 1,
      packets.upperBound - 1)
  }

  /// The number of packets that can be copied at most.
  var copiedCount: Int { max(lastDeparture - firstJoin, 0) }

  /// The packets that may be read: those that may be copied, and those beside them that a seam or the decoder needs.
  func candidates(inFile sampleCount: Int64) -> Range<Int> {
    let first = samples.lowerBound == 0 ? -3 : firstJoin - 1
    let last =
      reachesEnd(ofFile: sampleCount) ? grid.packet(holding: sampleCount - 1) : lastDeparture
    return (first..<max(first, last + 1)).clamped(to: packets)
  }

  /// The length of the source up to the run's end, in samples.
  var sourceEnd: Double { max(Double(samples.upperBound) - Double(shift), 0) }

  /// Whether its packets can be copied up to the end of a file.
  func reachesEnd(ofFile sampleCount: Int64) -> Bool {
    samples.upperBound >= sampleCount && audible.upperBound >= sampleCount
      && packets.upperBound > grid.packet(holding: sampleCount - 1)
  }

  /// The packet with which the file begins if its sound begins with this run; `nil` if it must not.
  ///
  /// - Parameter longestDelay: the greatest number of samples before the file's first one if nothing hides them; `nil`
  ///   if an edit list does.
  func firstPacket(longestDelay: Int64?) -> Int? {
    guard samples.lowerBound == 0, audible.lowerBound <= 0,
      packets.lowerBound < 0 || (packets.lowerBound == 0 && audible.lowerBound >= grid.first)
    else { return nil }
    // The overlapping packet, and one more to be safe.
    let first = max(packets.lowerBound, -2)
    guard let longestDelay else { return first }
    guard audible.lowerBound == 0 else { return nil }
    return (first...0).first { -grid.start(of: $0) <= longestDelay }
  }

  /// The run before and after a packet that cannot be copied.
  func divided(at packet: Int) -> [CopiedRun] {
    guard packets.contains(packet) else { return [] }
    var (before, after) = (self, self)
    before.packets = packets.lowerBound..<packet
    after.packets = packet + 1..<packets.upperBound
    // After a gap, packets are counted wrongly if their times are rounded.
    return isExact ? [before, after] : [before]
  }
}
