import Crypto
import Foundation
import HTTP
import Synchronization

/// A submission that is being received. It is written to disk, so that large projects do not wait in memory.
final class SubmissionUpload: BodySink {
  private let limit: Int
  private let file: Mutex<StagedFile>

  /// - Parameter limit: the size limit in bytes.
  init(at path: String, limit: Int) throws(StorageError) {
    self.limit = limit
    file = Mutex(try StagedFile(path))
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    try file.withLock { file in
      guard file.byteCount + Int64(bytes.count) <= Int64(limit) else {
        throw HTTPError.bodyTooLarge("the submission", limit: limit)
      }
      try file.write(bytes)
    }
  }

  /// The SHA-256 of the received bytes. Call it once, at the end.
  func digest() -> Digest { file.withLock { $0.digest() } }

  /// Does nothing: the file is removed with this object.
  func abandon() {}

  /// The number of received bytes.
  var byteCount: Int { file.withLock { Int($0.byteCount) } }

  /// The path of the file with the received bytes.
  var path: String { file.withLock { $0.path } }
}
