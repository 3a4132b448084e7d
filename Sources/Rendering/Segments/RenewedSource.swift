import Media
import Synchronization

/// The bytes of an asset that is opened anew for each segment, for a reader that outlives the segment.
final class RenewedSource: ByteSource {
  let size: Int64
  private let current: Mutex<any ByteSource>

  init(_ source: any ByteSource) {
    size = source.size
    current = Mutex(source)
  }

  /// Reads from another source of the same asset from now on.
  func renew(_ source: any ByteSource) { current.withLock { $0 = source } }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try current.withLock { $0 }.read(at: offset, into: buffer)
  }
}
