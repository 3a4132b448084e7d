import CFFmpeg
import Glibc

/// libav's writing context over a file of our own.
final class OutputContext {
  let pointer: UnsafeMutablePointer<AVIOContext>
  private let state: State

  /// What the callbacks share: the file and where it is written next.
  private final class State {
    let descriptor: Int32
    var position: Int64 = 0
    var failure: Int32 = 0

    init(descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
      var written = 0
      while written < bytes.count {
        let count = pwrite(
          descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written,
          Int(position))
        guard count >= 0 else {
          if errno == EINTR { continue }
          failure = errno
          return sheaf_averror(errno)
        }
        written += count
        position += Int64(count)
      }
      return Int32(written)
    }

    func seek(to offset: Int64, whence: Int32) -> Int64 {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return Int64(sheaf_averror(errno)) }
      let target: Int64
      switch whence & ~AVSEEK_FORCE {
      case AVSEEK_SIZE: return Int64(status.st_size)
      case SEEK_SET: target = offset
      case SEEK_CUR: target = position + offset
      case SEEK_END: target = Int64(status.st_size) + offset
      default: return Int64(sheaf_averror(EINVAL))
      }
      guard target >= 0 else { return Int64(sheaf_averror(EINVAL)) }
      position = target
      return target
    }
  }

  private static let bufferSize = 1 << 18

  /// Creates the file, or empties it.
  init(path: String) throws(MediaError) {
    let descriptor = openFile(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
    guard descriptor >= 0 else {
      throw MediaError(
        .writeFailed, "cannot write the file", on: path,
        remedy: "check that its folder exists and is writable",
        cause: String(cString: strerror(errno)))
    }
    let state = State(descriptor: descriptor)
    self.state = state
    let buffer = av_malloc(Self.bufferSize)
    let context = avio_alloc_context(
      buffer?.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 1,
      Unmanaged.passUnretained(state).toOpaque(), nil,
      { opaque, bytes, count in
        guard let opaque, let bytes else { return sheaf_averror(EINVAL) }
        return Unmanaged<State>.fromOpaque(opaque).takeUnretainedValue()
          .write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      },
      { opaque, offset, whence in
        guard let opaque else { return Int64(sheaf_averror(EINVAL)) }
        return Unmanaged<State>.fromOpaque(opaque).takeUnretainedValue()
          .seek(to: offset, whence: whence)
      })
    guard let context else {
      av_free(buffer)
      throw MediaError(.outOfMemory, "cannot allocate memory", on: path)
    }
    pointer = context
  }

  deinit {
    av_freep(&pointer.pointee.buffer)
    var context: UnsafeMutablePointer<AVIOContext>? = pointer
    avio_context_free(&context)
  }

  /// The operating system's text for the first write that failed.
  var failure: String? { state.failure == 0 ? nil : String(cString: strerror(state.failure)) }

  /// Reads up to `count` bytes of what was written, from an offset on.
  func read(at offset: Int64, count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = bytes.withUnsafeMutableBytes {
        pread(
          state.descriptor, $0.baseAddress?.advanced(by: filled), count - filled,
          Int(offset) + filled)
      }
      guard read > 0 else { break }
      filled += read
    }
    return Array(bytes.prefix(filled))
  }

  /// Writes over what was written, from an offset on.
  func overwrite(_ bytes: [UInt8], at offset: Int64) -> Bool {
    state.position = offset
    return bytes.withUnsafeBytes { state.write($0) } == Int32(bytes.count)
  }

  /// Hands the buffered bytes to the operating system, and with `synchronised` to the disk.
  func flush(synchronised: Bool) -> Bool {
    avio_flush(pointer)
    guard pointer.pointee.error >= 0, state.failure == 0 else { return false }
    return !synchronised || fsync(state.descriptor) == 0
  }
}
