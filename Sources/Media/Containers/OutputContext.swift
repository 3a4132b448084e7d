import CFFmpeg
import Crypto
import Glibc

/// A libav output context that writes to a file through our own callbacks.
final class OutputContext {
  /// The context for libav.
  var pointer: UnsafeMutablePointer<AVIOContext> { context.pointer }
  private let context: IOContext
  private let state: State

  /// Why a file could not be written.
  enum Failure: Hashable {
    /// A system call failed with this `errno`.
    case system(Int32)
    /// The bytes read back differ from what was written.
    case changed
  }

  /// The file, and what was written to it.
  private final class State: IOCallbacks {
    let descriptor: Int32
    var blocks = WrittenBlocks()
    /// The first thing that went wrong with the file.
    var failure: Failure?

    init(descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }

    override var size: Int64 {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return Int64(sheaf_averror(errno)) }
      return Int64(status.st_size)
    }

    override func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
      // Bytes that a muxer skips, to write them later, read as zeros until then.
      while position > blocks.byteCount {
        let (place, gap) = (position, position - blocks.byteCount)
        position = blocks.byteCount
        let status = [UInt8](repeating: 0, count: Int(min(gap, Int64(OutputContext.bufferSize))))
          .withUnsafeBytes { write($0) }
        guard status >= 0 else { return status }
        position = place
      }
      guard blocks.write(bytes, at: position, reading: read) else {
        failure = .changed
        return sheaf_averror(EIO)
      }
      var written = 0
      while written < bytes.count {
        let count = pwrite(
          descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written,
          Int(position))
        guard count >= 0 else {
          if errno == EINTR { continue }
          let number = errno
          failure = .system(number)
          return sheaf_averror(number)
        }
        written += count
        position += Int64(count)
      }
      return Int32(written)
    }

    func read(at offset: Int64, count: Int) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: count)
      var filled = 0
      while filled < count {
        let read = bytes.withUnsafeMutableBytes {
          pread(
            descriptor, $0.baseAddress?.advanced(by: filled), count - filled, Int(offset) + filled)
        }
        guard read > 0 else { break }
        filled += read
      }
      return Array(bytes.prefix(filled))
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
        systemError: errno)
    }
    state = State(descriptor: descriptor)
    context = try IOContext(state, .output, bufferSize: Self.bufferSize, named: path)
  }

  /// The reason why a write failed.
  var failure: Failure? { state.failure }

  /// The content of the flushed file, if it reads back as it was written.
  var content: WrittenContent { state.blocks.content }

  /// Reads up to `count` of the written bytes from an offset on.
  func read(at offset: Int64, count: Int) -> [UInt8] { state.read(at: offset, count: count) }

  /// Overwrites written bytes from an offset on.
  func overwrite(_ bytes: [UInt8], at offset: Int64) -> Bool {
    state.position = offset
    return bytes.withUnsafeBytes { state.write($0) } == Int32(bytes.count)
  }

  /// Flushes the buffered bytes to the operating system, and with `synchronized` to the disk.
  func flush(synchronized: Bool) -> Bool {
    avio_flush(pointer)
    guard pointer.pointee.error >= 0, state.failure == nil else { return false }
    return !synchronized || fsync(state.descriptor) == 0
  }
}
