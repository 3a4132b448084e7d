import Media
import Planning

/// A packet of a run that is missing, misplaced or damaged, so that the run has to be divided.
struct RunInterruption: Error {
  let run: Int
  /// The packet's number in the file.
  let packet: Int
}

/// Reads the packets of a run in order: those that are not kept, from its source.
final class RunPackets {
  private let run: CopiedRun
  private let index: Int
  private let kept: KeptPackets
  private let open: (AudioSource) throws -> any ByteSource
  /// The packets of the source from the first one that is not kept.
  private var packets: SoundPackets?
  private var last: (number: Int, bytes: [UInt8])?
  /// The packet after the last one that was found in its place.
  private var following: Int?

  /// Prepares to read packets of a run.
  ///
  /// - Parameter index: the run's index, for ``RunInterruption``.
  init(
    of run: CopiedRun, at index: Int, kept: KeptPackets,
    open: @escaping (AudioSource) throws -> any ByteSource
  ) {
    self.run = run
    self.index = index
    self.kept = kept
    self.open = open
  }

  /// The bytes of a packet without header. Its number must not be less than that of the packet read last.
  ///
  /// - Throws: ``RunInterruption`` if there is no such packet.
  func packet(_ number: Int) throws -> [UInt8] {
    if let last, last.number == number { return last.bytes }
    if let bytes = kept.packet(number, ofRange: run.range) {
      following = number + 1
      return bytes
    }
    let packets = try opened(at: number)
    while case .packet(let place) = try next(of: packets) {
      let found = run.grid.packet(holding: place.start + run.shift)
      guard found <= number, place.start + run.shift == run.grid.start(of: found),
        place.count <= PacketGrid.length
      else { break }
      following = found + 1
      if found < number { continue }
      guard let frame = packets.aacFrame(), !frame.bytes.isEmpty else {
        throw RunInterruption(run: index, packet: number)
      }
      last = (number, frame.bytes)
      return frame.bytes
    }
    // A packet is missing, perhaps before the one that was requested.
    throw RunInterruption(
      run: index, packet: max(min(following ?? number, number), run.packets.lowerBound))
  }

  /// The source's packets, which are opened at or before a packet if they are not open.
  private func opened(at number: Int) throws -> SoundPackets {
    if let packets { return packets }
    let opened = try SoundPackets(
      source: try open(run.source), named: run.source.name, stream: run.source.stream,
      origin: run.source.start, from: run.grid.start(of: number) - run.shift)
    packets = opened
    return opened
  }

  /// The next packet's place. Damage that makes the rest unreadable counts as the end.
  private func next(of packets: SoundPackets) throws -> SoundPackets.Next {
    do {
      return try packets.next()
    } catch let error as MediaError where error.code == .damaged {
      return .end
    }
  }
}
