import Crypto
import Media
import Threads
import Timeline

/// Encodes a mix into a file on a thread of its own, while the next samples are mixed.
///
/// The encoder and the muxer belong to that thread, and so does the writer of parts.
final class MixWriter {
  /// The encoder and the muxer, which only the thread uses.
  private final class Output {
    let encoder: AudioEncoder
    let muxer: Muxer
    let stream: Int
    let parts: SoundPartWriter?

    init(_ settings: AudioSettings, to path: String, parts: SoundPartWriter?) throws {
      self.parts = parts
      let settings = AudioEncoder.Settings(settings)
      encoder = try AudioEncoder(settings)
      // The edit list uses the movie's time scale, by default milliseconds, which is too coarse for the last sample.
      muxer = try Muxer(
        path: path, format: settings.fileFormat,
        options: ["movie_timescale": "\(settings.sampleRate)"])
      stream = try muxer.addStream(encoder.parameters, timeBase: try encoder.timeBase)
      try muxer.start()
      try parts?.begin(encoder.parameters, timeBase: encoder.timeBase)
    }

    func write(_ packet: Packet) throws {
      try muxer.write(packet, to: stream)
      try parts?.add(packet)
    }

    func finish() throws -> WrittenContent {
      try encoder.finish(write)
      let content = try muxer.finish()
      try parts?.finish()
      return content
    }
  }

  /// The maximum number of blocks that wait while another one is encoded.
  private static let room = 16

  private let thread: ItemThread<SoundBlock, WrittenContent>

  /// Creates a new file at `path`, to which nothing is written once the writer is freed.
  ///
  /// - Parameter parts: writes the mix in parts as well.
  /// - Throws: `MediaError`, with code `outOfMemory` if no thread can be started.
  init(_ settings: AudioSettings, to path: String, parts: SoundPartWriter?) throws {
    let output = try Output(settings, to: path, parts: parts)
    // Only the thread uses the output.
    nonisolated(unsafe) let owned = output
    thread = try .start(named: "encode sound", room: Self.room, for: "the sound") { next in
      while let block = try next() { try owned.encoder.encode(block, owned.write) }
      return try owned.finish()
    }
  }

  /// Adds the next samples, per channel.
  ///
  /// - Throws: the error that ended the thread.
  func add(_ block: SoundBlock) throws { try thread.add(block) }

  /// Encodes the samples that were added, and finishes the file.
  func finish() throws -> WrittenContent { try thread.finish() }

  /// Ends the thread. Returns the error that had ended it before.
  func stop() -> (any Error)? { thread.stop() }
}
