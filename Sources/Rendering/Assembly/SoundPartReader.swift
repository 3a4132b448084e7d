import Crypto
import Media
import Planning
import Timeline

/// Reads a mix from the parts that were added so far.
///
/// A part is checked completely when it is added, so that no chunk is blamed for it later.
final class SoundPartReader {
  /// The maximum number of samples before the first audible one.
  private static let longestDelay: Int64 = 4 * PacketGrid.length
  /// The maximum size of a part's file in bytes: ten seconds of the largest packets take 4.4 MB.
  private static let largestFile: Int64 = 16 << 20

  /// The mix's coding parameters, as the first part states them.
  let parameters: StreamParameters
  /// Seconds per tick of the packets' times.
  let timeBase: RationalTime
  /// The end of the part that was added last, in seconds.
  var end: RationalTime { added.end }
  /// Whether the last part was added.
  var isWhole: Bool { added.isLast }
  /// The limits of the whole mix.
  let bound: SoundBound
  private let folder: String
  private var demuxer: Demuxer
  /// The first sample of the part that is being read, from which its times count.
  private var origin: Int64 = 0
  private var following: [SoundPart] = []
  private var added: SoundPart
  private var (packetCount, byteCount) = (0, Int64(0))

  /// Opens the first part.
  ///
  /// - Parameter length: the mix's length in seconds.
  /// - Throws: ``AssemblyError`` with code `badMix`; `MediaError` if it cannot be read.
  init(in folder: String, from first: SoundPart, for length: RationalTime) throws {
    guard first.number == 0, (-Self.longestDelay...0).contains(first.start) else {
      throw AssemblyError(.badMix, "the sound does not begin with its first part: \(folder)")
    }
    self.folder = folder
    added = first
    demuxer = try Self.checking(first) { try Self.open(first, in: folder) }
    parameters = demuxer.streams[0].parameters
    timeBase = demuxer.streams[0].timeBase
    guard let bound = try SoundBound(parameters, length: length) else {
      throw AssemblyError(
        .badMix, "sound in \(parameters.codec) cannot be assembled in parts: \(folder)")
    }
    self.bound = bound
    try check(first)
  }

  /// Adds the next part.
  ///
  /// - Throws: ``AssemblyError`` with code `badMix`; `MediaError` if it cannot be read.
  func add(_ part: SoundPart) throws {
    guard part.number == added.number + 1, !added.isLast,
      (try? timeBase * part.start) == added.end
    else {
      throw AssemblyError(
        .badMix, "part \(part.number) of the sound does not follow part \(added.number)")
    }
    try check(part)
    added = part
    following.append(part)
  }

  /// Reads the next packet. Returns `false` if it is in a part that was not added yet, or if there is none.
  func read(into packet: Packet) throws -> Bool {
    while try demuxer.read(into: packet) == .endOfStream {
      guard let next = following.first else { return false }
      following.removeFirst()
      demuxer = try Self.open(next, in: folder)
      origin = next.start
    }
    packet.time = packet.time.map { $0 + origin }
    packet.decodingTime = packet.decodingTime.map { $0 + origin }
    return true
  }

  /// Checks that a part's packets follow one another from its start to its end, and do not exceed the limits.
  private func check(_ part: SoundPart) throws {
    let isFirst = part.number == 0
    var next = isFirst ? part.start : 0
    let demuxer = try Self.checking(part) {
      let demuxer = try Self.open(part, in: folder)
      let packet = try Packet()
      while try demuxer.read(into: packet) == .packet {
        guard packet.time == next, packet.decodingTime == next,
          (1...PacketGrid.length).contains(packet.duration)
        else { throw Self.bad(part) }
        next += packet.duration
        packetCount += 1
        byteCount += Int64(packet.count)
      }
      return demuxer
    }
    let stream = demuxer.streams[0]
    let format = AACConfiguration(stream.parameters.parameterSets)
    let end = (isFirst ? 0 : part.start).addingReportingOverflow(next)
    guard !end.overflow, stream.timeBase == timeBase,
      (try? timeBase * end.partialValue) == part.end,
      packetCount <= bound.packets, byteCount <= bound.bytes,
      stream.parameters.parameterSets == parameters.parameterSets,
      format?.sampleRate == parameters.sampleRate, format?.channels == parameters.channels
    else { throw Self.bad(part) }
  }

  /// Opens or reads a part for the first time. Whatever is wrong with its bytes is the part's fault.
  private static func checking<Value>(
    _ part: SoundPart, _ body: () throws -> Value
  ) throws -> Value {
    do {
      return try body()
    } catch let error as MediaError where error.code != .readFailed {
      throw bad(part)
    }
  }

  private static func bad(_ part: SoundPart) -> AssemblyError {
    AssemblyError(
      .badMix, "part \(part.number) of the sound does not match its description: retry the job")
  }

  /// Opens a part, whose bytes are checked first.
  private static func open(_ part: SoundPart, in folder: String) throws -> Demuxer {
    let path = part.path(in: folder)
    let file = try FileByteSource(path: path)
    guard part.content.byteCount <= largestFile else { throw bad(part) }
    guard file.size == part.content.byteCount, case let bytes = try MemoryByteSource(file),
      bytes.written == part.content
    else {
      throw MediaError(
        .damagedAsset, "a part of the sound differs from what was written", on: path,
        remedy: "check the disk and the memory of the coordinator's host")
    }
    return try MixReader.open(bytes, named: path)
  }
}
