import CFFmpeg
import Crypto
import Glibc
import Threads

/// A libav output context that writes to a file through our own callbacks.
final class OutputContext {
  /// The context for libav.
  var pointer: UnsafeMutablePointer<AVIOContext> { context.pointer }
  private let context: IOContext
  private let writer: Writer

  /// Writes bytes, at once or on a thread of its own.
  private final class Writer: IOCallbacks {
    private(set) var file: RecordedFile
    /// The first thing that went wrong with the file.
    private(set) var failure: RecordedFile.Failure?
    /// The thread that writes, which has the file meanwhile.
    private var thread: ItemThread<Step, RecordedFile>?
    private let writesBehind: Bool
    /// The bytes that the file leaves out because another file has them; `nil` if it contains all.
    private var references: WrittenReferences?
    private var end: Int64 = 0

    private enum Step: Sendable {
      case write([UInt8], at: Int64)
      case bringToDisk
    }

    /// The maximum number of steps that wait while another one is taken.
    private static let room = 16

    init(_ file: RecordedFile, writesBehind: Bool, references: WrittenReferences?) {
      (self.file, self.writesBehind, self.references) = (file, writesBehind, references)
    }

    deinit {
      thread?.stop()
      close(file.descriptor)
    }

    override var size: Int64 { end }

    override func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
      do {
        if let failure { throw failure }
        if references != nil {
          let isWritten = try references?.write(bytes, at: position) { try file.write($0, at: $1) }
          guard isWritten == true else { throw RecordedFile.Failure.system(ESPIPE) }
        } else if writesBehind, let thread = startedThread() {
          try thread.add(.write([UInt8](bytes), at: position))
        } else {
          try file.write(bytes, at: position)
        }
      } catch {
        return sheaf_averror(note(error))
      }
      position += Int64(bytes.count)
      end = max(end, position)
      return Int32(bytes.count)
    }

    /// Announces the bytes of the next writes (``WrittenReferences/expect(_:ownCount:at:)``).
    func expect(_ bytes: UnsafeRawBufferPointer, ownCount: Int, at offset: Int64) {
      references?.expect(bytes, ownCount: ownCount, at: offset)
    }

    /// Refers to the expected bytes, if they were written. A failure is noticed by the next write.
    func settleExpectation() {
      do {
        try references?.settle { try file.write($0, at: $1) }
      } catch {
        _ = note(error)
      }
    }

    /// Writes the table of references.
    func finishReferences() {
      do {
        try references?.finish { try file.write($0, at: $1) }
      } catch {
        _ = note(error)
      }
    }

    /// The thread that writes; `nil` if the system permits none.
    private func startedThread() -> ItemThread<Step, RecordedFile>? {
      if let thread { return thread }
      thread = ItemThread(named: "write", room: Self.room) { [file] next in
        var file = file
        while let step = try next() {
          switch step {
          case .write(let bytes, let offset):
            try bytes.withUnsafeBytes { try file.write($0, at: offset) }
          case .bringToDisk: file.startBringingToDisk()
          }
        }
        return file
      }
      return thread
    }

    /// Begins to bring what was written to the disk.
    func startBringingToDisk() {
      // An error of the thread is noticed by the next write.
      if let thread { try? thread.add(.bringToDisk) } else { file.startBringingToDisk() }
    }

    /// Waits until everything is written, and with `synchronized` until it is on the disk. Returns whether it could be.
    func settle(synchronized: Bool) -> Bool {
      do {
        if let thread {
          self.thread = nil
          file = try thread.finish()
        }
        if synchronized { try file.bringToDisk() }
      } catch {
        _ = note(error)
      }
      return failure == nil
    }

    /// Keeps the first failure. Returns its `errno`.
    private func note(_ error: any Error) -> Int32 {
      let failure = failure ?? error as? RecordedFile.Failure ?? .system(EIO)
      self.failure = failure
      return failure.number
    }
  }

  private static let bufferSize = 1 << 18

  /// Creates the file, or empties it.
  ///
  /// - Parameters:
  ///   - writesBehind: whether another thread writes to the file. Failures are then noticed later.
  ///   - referenced: the SHA-256 of a file that has some of the bytes; such a file is not written behind.
  init(path: String, writesBehind: Bool, referringTo referenced: Digest?) throws(MediaError) {
    let descriptor = openFile(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
    guard descriptor >= 0 else {
      throw MediaError(
        .writeFailed, "cannot write the file", on: path,
        remedy: "check that its folder exists and is writable",
        systemError: errno)
    }
    writer = Writer(
      RecordedFile(descriptor: descriptor), writesBehind: writesBehind,
      references: referenced.map { WrittenReferences(to: $0) })
    context = try IOContext(writer, .output, bufferSize: Self.bufferSize, named: path)
  }

  /// The reason why a write failed.
  var failure: RecordedFile.Failure? { writer.failure }

  /// The content of the flushed file, if it reads back as it was written.
  var content: WrittenContent { writer.file.blocks.content }

  /// Calls `body`, which probably writes exactly these bytes. If it does, all but the first `ownCount` are left out,
  /// because the referenced file has them at `offset`.
  func referring<Value>(
    to bytes: UnsafeRawBufferPointer, ownCount: Int, at offset: Int64, _ body: () throws -> Value
  ) rethrows -> Value {
    avio_flush(pointer)
    writer.expect(bytes, ownCount: ownCount, at: offset)
    defer {
      avio_flush(pointer)
      writer.settleExpectation()
    }
    return try body()
  }

  /// Appends the table of what was left out, if anything was, to the flushed file.
  func finishReferences() { writer.finishReferences() }

  /// Reads up to `count` of the flushed bytes from an offset on.
  func read(at offset: Int64, count: Int) -> [UInt8] { writer.file.read(at: offset, count: count) }

  /// Overwrites written bytes from an offset on.
  func overwrite(_ bytes: [UInt8], at offset: Int64) -> Bool {
    writer.position = offset
    return bytes.withUnsafeBytes { writer.write($0) } == Int32(bytes.count)
  }

  /// Flushes the buffered bytes to the operating system, and with `synchronized` to the disk.
  func flush(synchronized: Bool) -> Bool {
    avio_flush(pointer)
    return writer.settle(synchronized: synchronized) && pointer.pointee.error >= 0
  }

  /// Begins to bring what was flushed to the disk. Failure only makes a synchronized flush slower.
  func startBringingToDisk() { writer.startBringingToDisk() }
}
