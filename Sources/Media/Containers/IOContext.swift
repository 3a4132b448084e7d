import CFFmpeg

/// The callbacks with which libav reads or writes bytes. Subclasses override ``read(into:)`` or ``write(_:)``.
class IOCallbacks {
  /// The position of the next read or write.
  var position: Int64 = 0

  /// The number of bytes; a negative libav error if it is unknown.
  var size: Int64 { Int64(sheaf_averror(EINVAL)) }

  /// Reads from the position on. Returns the number of bytes, or a libav error.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 { sheaf_averror(EINVAL) }

  /// Writes from the position on. Returns the number of bytes, or a libav error.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int32 { sheaf_averror(EINVAL) }

  /// Moves the position. Returns it, the size if `whence` asks for it, or a libav error.
  fileprivate func seek(to offset: Int64, whence: Int32) -> Int64 {
    let size = size
    guard size >= 0 else { return size }
    let target: Int64
    switch whence & ~AVSEEK_FORCE {
    case AVSEEK_SIZE: return size
    case SEEK_SET: target = offset
    case SEEK_CUR: target = position + offset
    case SEEK_END: target = size + offset
    default: return Int64(sheaf_averror(EINVAL))
    }
    guard target >= 0 else { return Int64(sheaf_averror(EINVAL)) }
    position = target
    return target
  }
}

/// A libav I/O context over our own callbacks.
final class IOContext {
  let pointer: UnsafeMutablePointer<AVIOContext>
  private let callbacks: IOCallbacks

  /// The direction of the bytes.
  enum Direction {
    case input
    case output
    /// Packets in both directions. Each call passes on one packet, as it is.
    case packets
  }

  /// Creates a context with a buffer.
  ///
  /// - Parameter name: the name of the file in errors.
  init(
    _ callbacks: IOCallbacks, _ direction: Direction, bufferSize: Int, named name: String
  ) throws(MediaError) {
    self.callbacks = callbacks
    let buffer = av_malloc(bufferSize)
    let context = avio_alloc_context(
      buffer?.assumingMemoryBound(to: UInt8.self), Int32(bufferSize), direction == .input ? 0 : 1,
      Unmanaged.passUnretained(callbacks).toOpaque(), direction == .output ? nil : Self.read,
      direction == .input ? nil : Self.write,
      { opaque, offset, whence in
        guard let opaque else { return Int64(sheaf_averror(EINVAL)) }
        return IOContext.callbacks(opaque).seek(to: offset, whence: whence)
      })
    guard let context else {
      av_free(buffer)
      throw MediaError(.outOfMemory, "cannot allocate memory", on: name)
    }
    pointer = context
  }

  deinit {
    av_freep(&pointer.pointee.buffer)
    var context: UnsafeMutablePointer<AVIOContext>? = pointer
    avio_context_free(&context)
  }

  private static func callbacks(_ opaque: UnsafeMutableRawPointer) -> IOCallbacks {
    Unmanaged<IOCallbacks>.fromOpaque(opaque).takeUnretainedValue()
  }

  private typealias Transfer =
    @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int32) -> Int32

  private static let read: Transfer = { opaque, buffer, count in
    guard let opaque, let buffer else { return sheaf_averror(EINVAL) }
    return IOContext.callbacks(opaque)
      .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
  }

  private static let write: Transfer = { opaque, bytes, count in
    guard let opaque, let bytes else { return sheaf_averror(EINVAL) }
    return IOContext.callbacks(opaque)
      .write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }
}
