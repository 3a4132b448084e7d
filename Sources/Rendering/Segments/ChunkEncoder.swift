import Crypto
import Glibc
import Media
import Planning
import Threads
import Timeline

/// Encodes a segment's pictures into a chunk on a thread of its own, while the next pictures are made.
///
/// The encoder and the muxer belong to that thread. Pictures are shared with it, not copied.
final class ChunkEncoder {
  struct Chunk: Sendable {
    /// The length and digest of the file.
    let content: WrittenContent
    /// The encoder's ``VideoEncoder/parameterSets``.
    let parameterSets: [UInt8]
  }

  /// An instruction to the thread.
  private enum Step: Sendable {
    case picture(SharedPicture, number: Int64)
    case end
  }

  /// A reference to a picture's memory.
  ///
  /// `@unchecked` is sound because only the thread that takes it uses this frame, and libav counts the references to
  /// the memory atomically.
  private struct SharedPicture: @unchecked Sendable {
    let frame: Frame

    init(_ frame: Frame) throws { self.frame = try Frame(sharing: frame) }
  }

  /// The number of pictures that wait while another one is encoded. `SegmentDescription.peakMemory` counts them.
  private static let room = 1

  private let steps = BoundedQueue<Step>(capacity: ChunkEncoder.room)
  private let results = BoundedQueue<Result<Chunk, any Error>>(capacity: 1)
  private var result: Result<Chunk, any Error>?

  /// Starts to write the chunk of a segment to a new file at `path`.
  ///
  /// - Throws: `MediaError` with code `outOfMemory` if no thread can be started.
  init(_ segment: SegmentDescription, _ settings: VideoEncoderSettings, path: String) throws {
    // This changes the environment, which the other thread must not do while this one may read it.
    VideoEncoder.silence(settings.codec)
    let isStarted = BlockingThread.startNow(named: "encode") { [steps, results] in
      let result = Result { try Self.encode(steps, of: segment, settings, to: path) }
      steps.close()
      _ = results.put(result)
    }
    guard isStarted else {
      let cause = String(cString: strerror(errno))
      result = .failure(Stop())
      throw MediaError(
        .outOfMemory, "cannot start a thread: \(cause)", on: "the encoder",
        remedy: "raise the worker's limits on memory and processes")
    }
  }

  deinit {
    // Nothing is written to the file after this.
    _ = stop()
  }

  /// Ends the thread. Returns the error that had ended it before.
  func stop() -> (any Error)? {
    steps.close()
    guard case .failure(let error) = outcome(), !(error is Stop) else { return nil }
    return error
  }

  /// The pictures ended without a ``Step/end``.
  private struct Stop: Error {}

  /// Adds a picture. Its pixels must not change until it is encoded; libav copies a shared picture before it is changed.
  ///
  /// - Throws: the error that ended the thread.
  func add(_ frame: Frame, number: Int64) throws {
    guard steps.put(.picture(try SharedPicture(frame), number: number)) else {
      _ = try outcome().get()
      return
    }
  }

  /// Encodes the pictures that were added, and finishes the file.
  func finish() throws -> Chunk {
    _ = steps.put(.end)
    return try outcome().get()
  }

  /// The thread's result, once it has ended.
  private func outcome() -> Result<Chunk, any Error> {
    if let result { return result }
    let result = results.take() ?? .failure(Stop())
    self.result = result
    return result
  }

  private static func encode(
    _ steps: BoundedQueue<Step>, of segment: SegmentDescription, _ settings: VideoEncoderSettings,
    to path: String
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
    while let step = steps.take() {
      switch step {
      case .picture(let picture, let number):
        try encoder.send(picture.frame, number: number)
        try drain()
      case .end:
        try encoder.send(nil)
        try drain()
        return Chunk(content: try muxer.finish(), parameterSets: encoder.parameterSets)
      }
    }
    throw Stop()
  }
}
