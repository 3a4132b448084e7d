import Crypto
import Media
import Planning
import Timeline

/// One attempt at writing a file from runs on one grid and encoded stretches between them.
struct Splice {
  /// How copying a run ends.
  private enum Departure {
    /// An encoded packet with this number and content follows.
    case packet(Int, [UInt8])
    /// The file ends.
    case end
  }

  /// The smallest number of packets that are copied in a row.
  private static let shortest = 16
  /// The number of packets by which a seam may be moved until it fits.
  private static let searched = 32
  /// The maximum bit rate of encoded stretches per channel; below it, they have at least that of the sources.
  private static let highestBitRate = 160_000
  /// The maximum encoder delay in samples: that of Apple's encoder.
  private static let longestDelay: Int64 = 2112

  private let runs: [CopiedRun]
  private let grid: PacketGrid
  private let sampleCount: Int64
  private let mixer: AudioMixer
  private let settings: AudioEncoder.Settings
  private let parameters: StreamParameters
  private let seams: SeamMaker
  private let parts: CopiedSoundParts
  private let kept: KeptPackets
  private let open: (AudioSource) throws -> any ByteSource

  init(
    of runs: [CopiedRun], on grid: PacketGrid, mix: MixDescription, mixer: AudioMixer,
    parts: CopiedSoundParts, kept: KeptPackets,
    open: @escaping (AudioSource) throws -> any ByteSource
  ) throws {
    self.runs = runs
    self.grid = grid
    self.mixer = mixer
    self.parts = parts
    self.kept = kept
    self.open = open
    sampleCount = mix.sampleCount - (mix.skippedSamples ?? 0)
    var settings = AudioEncoder.Settings(mix.settings)
    let bitRate = min(runs.map(\.bitRate).max() ?? 0, Self.highestBitRate * settings.channels)
    settings.bitRate = max(settings.bitRate, bitRate)
    self.settings = settings
    parameters = try AudioEncoder(settings).parameters
    seams = SeamMaker(settings, parameters: parameters)
  }

  /// Writes the file.
  ///
  /// - Parameter soundParts: writes the sound in parts as well.
  /// - Returns: the content, and the finished file.
  /// - Throws: ``RunInterruption`` if a packet cannot be copied.
  func write(
    to path: String, parts soundParts: SoundPartWriter?
  ) throws -> (WrittenContent, SplicedFile) {
    var index = 0
    let opening = try runs.first.flatMap { run in
      try run.firstPacket(longestDelay: parts.hasEditList ? nil : Self.longestDelay).flatMap {
        first in try self.departure(of: 0).map { (first: first, departure: $0) }
      }
    }
    let file = try SplicedFile(
      path: path, parameters: parameters, channels: settings.channels, grid: grid,
      from: opening?.first ?? -1, sampleCount: sampleCount, parts: soundParts)
    var departure = opening?.departure
    if let departure {
      try copy(0, until: departure, to: file)
      index = 1
    }
    while file.next <= file.last {
      let encoder = try encoder(from: file.next)
      if case .packet(_, let bytes) = departure { try file.write(bytes) }
      departure = nil
      while departure == nil, index < runs.count {
        if let found = try self.departure(of: index),
          try join(index, until: found, from: encoder, to: file)
        {
          departure = found
          try copy(index, until: found, to: file)
        }
        index += 1
      }
      if departure == nil { try encode(through: file.last, by: encoder, to: file) }
    }
    return (try file.finish(), file)
  }

  /// An encoder for the mix from a packet on.
  private func encoder(from packet: Int) throws -> StretchEncoder {
    let sound = try mixer.samples(from: grid.start(of: packet - StretchEncoder.lead))
    return try StretchEncoder(settings, from: packet) { _ in
      try sound.read(Int(PacketGrid.length))
    }
  }

  /// Writes encoded packets up to a number.
  private func encode(
    through last: Int, by encoder: StretchEncoder, to file: SplicedFile
  ) throws {
    while file.next <= last {
      try file.write(try encoder.packet(file.next, upTo: last))
      // A seam may encode again what precedes it.
      encoder.forget(before: file.next - StretchEncoder.lead - 1)
    }
  }

  /// Writes encoded packets up to a place where a run can be copied. Returns whether there is one.
  private func join(
    _ index: Int, until departure: Departure, from encoder: StretchEncoder, to file: SplicedFile
  ) throws -> Bool {
    let run = runs[index]
    var end = file.last + 1
    if case .packet(let number, _) = departure { end = number }
    let first = max(run.firstJoin, file.next + 3)
    let last = min(first + Self.searched, end - Self.shortest)
    guard first <= last else { return false }
    let packets = RunPackets(of: run, at: index, kept: kept, open: open)
    var previous = try packets.packet(first - 1)
    for number in first...last {
      try encode(through: number - 2, by: encoder, to: file)
      let copied = try packets.packet(number)
      if let packet = try seams.packet(
        number - 1, before: (previous, copied), ending: encoder)
      {
        try file.write(packet)
        return true
      }
      previous = copied
    }
    return false
  }

  /// How copying a run ends; `nil` if no seam fits.
  private func departure(of index: Int) throws -> Departure? {
    let run = runs[index]
    if run.reachesEnd(ofFile: sampleCount) { return .end }
    let last = run.lastDeparture
    let first = max(last - Self.searched, run.firstJoin + Self.shortest)
    guard first <= last else { return nil }
    let packets = RunPackets(of: run, at: index, kept: kept, open: open)
    let copied = try (first - 1...last).map { try packets.packet($0) }
    let sound = try mixer.samples(from: grid.start(of: first - StretchEncoder.lead))
    // The last candidate's next packet needs three more.
    let blocks = try (first - StretchEncoder.lead...last + 4).map { _ in
      try sound.read(Int(PacketGrid.length))
    }
    for number in (first...last).reversed() {
      var next = number - first
      let encoder = try StretchEncoder(settings, from: number) { _ in
        defer { next += 1 }
        return blocks[next]
      }
      let neighbors = (copied[number - first], copied[number - first + 1])
      if let packet = try seams.packet(number, after: neighbors, continuing: encoder) {
        return .packet(number, packet)
      }
    }
    return nil
  }

  /// Copies a run's packets.
  private func copy(_ index: Int, until departure: Departure, to file: SplicedFile) throws {
    var end = file.last + 1
    if case .packet(let number, _) = departure { end = number }
    guard file.next < end else { return }
    let run = runs[index]
    let first = max(file.next - 1, run.packets.lowerBound)
    let packets = RunPackets(of: run, at: index, kept: kept, open: open)
    let decoder =
      try parts.isVerified
      ? FrameDecoder(parameters, channels: settings.channels, named: run.source.name) : nil
    for number in first..<end {
      let bytes = try packets.packet(number)
      if let decoder, try decoder.decode(bytes) == nil {
        throw RunInterruption(run: index, packet: number)
      }
      if number >= file.next { try file.write(bytes, isCopied: true) }
    }
  }
}
