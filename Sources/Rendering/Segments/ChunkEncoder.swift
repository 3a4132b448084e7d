import Crypto
import Media
import Planning
import Threads
import Timeline

/// Encodes a segment's pictures into a chunk on a thread of its own, while the next pictures are made.
///
/// The encoder and the muxer belong to that thread. Pictures are shared with it, not copied.
final class ChunkEncoder {
  struct Chunk: Sendable {
    /// The length and checksum of the file.
    let content: WrittenContent
    /// The encoder's ``VideoEncoder/parameterSets``.
    let parameterSets: [UInt8]
  }

  /// A reference to a picture's memory.
  ///
  /// `@unchecked` is sound because only the thread that takes it uses this frame, and libav counts the references to
  /// the memory atomically.
  private struct SharedPicture: @unchecked Sendable {
    let frame: Frame
    let number: Int64

    init(_ frame: Frame, number: Int64) throws {
      self.frame = try Frame(sharing: frame)
      self.number = number
    }
  }

  /// The number of pictures that wait while another one is encoded. `SegmentDescription.peakMemory` counts them.
  private static let room = 1

  private let thread: ItemThread<SharedPicture, Chunk>

  /// Starts to write the chunk of a segment to a new file at `path`. Nothing is written to it once the encoder is freed.
  ///
  /// - Throws: `MediaError` with code `outOfMemory` if no thread can be started.
  init(_ segment: SegmentDescription, _ settings: VideoEncoderSettings, path: String) throws {
    // This changes the environment, which the other thread must not do while this one may read it.
    VideoEncoder.silence(settings.codec)
    thread = try .start(named: "encode", room: Self.room, for: "the encoder") { next in
      try Self.encode(next, of: segment, settings, to: path)
    }
  }

  /// Ends the thread. Returns the error that had ended it before.
  func stop() -> (any Error)? { thread.stop() }

  /// Adds a picture. Its pixels must not change until it is encoded; libav copies a shared picture before it is changed.
  ///
  /// - Throws: the error that ended the thread.
  func add(_ frame: Frame, number: Int64) throws {
    try thread.add(try SharedPicture(frame, number: number))
  }

  /// Encodes the pictures that were added, and finishes the file.
  func finish() throws -> Chunk { try thread.finish() }

  private static func encode(
    _ next: () throws -> SharedPicture?, of segment: SegmentDescription,
    _ settings: VideoEncoderSettings, to path: String
  ) throws -> Chunk {
    let encoder = try VideoEncoder(settings)
    let muxer = try Muxer(path: path, format: settings.chunkFormat)
    let stream = try muxer.addStream(
      encoder.parameters, timeBase: segment.frameDuration, hdr: settings.hdr)
    try muxer.start()
    let packet = try Packet()
    func drain() throws {
      while try encoder.receive(into: packet) == .packet { try muxer.write(packet, to: stream) }
    }
    while let picture = try next() {
      try encoder.send(picture.frame, number: picture.number)
      try drain()
    }
    try encoder.send(nil)
    try drain()
    return Chunk(content: try muxer.finish(), parameterSets: encoder.parameterSets)
  }
}
