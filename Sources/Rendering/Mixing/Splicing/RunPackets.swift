import Media
import Planning

/// A packet of a run that is missing, misplaced or damaged, so that the run has to be divided.
struct RunInterruption: Error {
  let run: Int
  /// The packet's number in the file.
  let packet: Int
}

/// Reads the packets of a run in order.
final class RunPackets {
  private let run: CopiedRun
  private let index: Int
  private let packets: SoundPackets
  private var last: (number: Int, bytes: [UInt8])?
  /// The packet after the last one that was found in its place.
  private var following: Int?

  /// Opens a run's source before a packet.
  ///
  /// - Parameter index: the run's index, for ``RunInterruption``.
  init(
    of run: CopiedRun, at index: Int, from packet: Int,
    open: (AudioSource) throws -> any ByteSource
  ) throws {
    self.run = run
    self.index = index
    packets = try SoundPackets(
      source: try open(run.source), named: run.source.name, stream: run.source.stream,
      origin: run.source.start, from: run.grid.start(of: packet) - run.shift)
  }

  /// The bytes of a packet without header. Its number must not be less than that of the packet read last.
  ///
  /// - Throws: ``RunInterruption`` if there is no such packet.
  func packet(_ number: Int) throws -> [UInt8] {
    if let last, last.number == number { return last.bytes }
    while case .packet(let place) = try next() {
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

  /// The next packet's place. Damage that makes the rest unreadable counts as the end.
  private func next() throws -> SoundPackets.Next {
    do {
      return try packets.next()
    } catch let error as MediaError where error.code == .damaged {
      return .end
    }
  }
}
