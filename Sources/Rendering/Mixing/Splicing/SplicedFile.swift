import Crypto
import Media
import Planning
import Timeline

/// A file of sound whose packets lie on a grid.
final class SplicedFile {
  /// The packet that is written next.
  private(set) var next: Int
  /// The number of samples of the sound that are in copied packets.
  private(set) var copiedCount: Int64 = 0
  /// The peaks of the sound, once the file is finished.
  private(set) var waveform: Waveform?
  private let grid: PacketGrid
  private let sampleCount: Int64
  private let sample: RationalTime
  private let muxer: Muxer
  private let stream: Int
  private let meter: PacketMeter
  private let parts: SoundPartWriter?

  /// Creates a file at `path` that begins with the packet `first` and has `sampleCount` audible samples.
  ///
  /// - Parameter parts: writes the sound in parts as well.
  init(
    path: String, parameters: StreamParameters, channels: Int, grid: PacketGrid, from first: Int,
    sampleCount: Int64, parts: SoundPartWriter?
  ) throws {
    self.parts = parts
    self.grid = grid
    self.sampleCount = sampleCount
    next = first
    sample = try RationalTime(1, Int64(parameters.sampleRate))
    muxer = try Muxer(
      path: path, format: "mp4", options: ["movie_timescale": "\(parameters.sampleRate)"])
    stream = try muxer.addStream(parameters, timeBase: sample)
    try muxer.start()
    try parts?.begin(parameters, timeBase: sample)
    meter = try PacketMeter(parameters, channels: channels, sampleCount: sampleCount)
  }

  /// The number of the last packet.
  var last: Int { grid.packet(holding: sampleCount - 1) }

  /// Writes the next packet.
  func write(_ bytes: [UInt8], isCopied: Bool = false) throws {
    let packet = try Packet(bytes: bytes)
    let start = grid.start(of: next)
    let end = min(start + PacketGrid.length, sampleCount)
    packet.timeBase = sample
    (packet.time, packet.decodingTime) = (start, start)
    packet.duration = end - start
    packet.isKey = true
    try muxer.write(packet, to: stream)
    try parts?.add(packet)
    if isCopied { copiedCount += max(end - max(start, 0), 0) }
    try meter.add(bytes, start..<end)
    next += 1
  }

  /// Finishes the file. An edit list hides what comes before its first audible sample.
  func finish() throws -> WrittenContent {
    waveform = try meter.finish()
    let content = try muxer.finish()
    try parts?.finish()
    return content
  }
}
