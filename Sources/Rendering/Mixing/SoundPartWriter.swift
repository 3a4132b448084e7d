import Crypto
import Media
import Planning
import Timeline

/// Writes a job's sound in parts while it is being made, so that its file can be assembled meanwhile.
public final class SoundPartWriter {
  private let folder: String
  private let report: (SoundNews) throws -> Void
  private var parameters: StreamParameters?
  private var timeBase = RationalTime(1)
  private var packets: [Packet] = []
  private var number = 0
  private var isWithdrawn = false

  /// Creates a writer that keeps each part as a file in an existing folder.
  ///
  /// - Parameter report: called when a part is complete, and if the parts are withdrawn, on the thread that writes the
  ///   sound.
  public init(in folder: String, report: @escaping (SoundNews) throws -> Void) {
    self.folder = folder
    self.report = report
  }

  /// Begins the sound. If parts of it were reported before, they are withdrawn. Their files may be in use, so they are
  /// not written again.
  func begin(_ parameters: StreamParameters, timeBase: RationalTime) throws {
    if number > 0 { try withdraw() }
    self.parameters = parameters
    self.timeBase = timeBase
    packets = []
  }

  /// Adds the next packet, whose times are in ticks of the time base.
  func add(_ packet: Packet) throws {
    guard !isWithdrawn else { return }
    let time = packet.time ?? 0
    if let first = packets.first?.time, time - first >= SoundPart.length * timeBase.denominator {
      try write(isLast: false)
    }
    packets.append(try Packet(sharing: packet))
  }

  /// Writes the rest. Sound that is shorter than a part is not written at all, because it is complete at once.
  func finish() throws {
    if number > 0, !isWithdrawn { try write(isLast: true) }
    packets = []
  }

  private func withdraw() throws {
    guard !isWithdrawn else { return }
    isWithdrawn = true
    packets = []
    try report(.withdrawn)
  }

  /// Writes and reports a part. If that fails, the sound can still be finished.
  private func write(isLast: Bool) throws {
    guard let first = packets.first?.time, let last = packets.last else { return }
    let end = try timeBase * ((last.time ?? 0) + last.duration)
    let content: WrittenContent
    do {
      content = try written(from: number > 0 ? first : 0)
    } catch is MediaError {
      return try withdraw()
    }
    let part = SoundPart(number: number, start: first, end: end, isLast: isLast, content: content)
    packets = []
    number += 1
    try report(.part(part))
  }

  /// Writes the packets to the next part's file, in which times count from `origin`.
  private func written(from origin: Int64) throws -> WrittenContent {
    guard let parameters else { preconditionFailure("packets without a beginning") }
    let muxer = try Muxer(
      path: SoundPart.path(number, in: folder), format: "mp4",
      options: ["movie_timescale": "\(timeBase.denominator)"])
    let stream = try muxer.addStream(parameters, timeBase: timeBase)
    try muxer.start()
    for packet in packets {
      packet.time = packet.time.map { $0 - origin }
      packet.decodingTime = packet.decodingTime.map { $0 - origin }
      try muxer.write(packet, to: stream)
    }
    return try muxer.finish()
  }
}
