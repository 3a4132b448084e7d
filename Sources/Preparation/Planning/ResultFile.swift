import Crypto
import FarmAPI
import Foundation

/// A file that a media process writes its result to. Foundation's ways of writing files make calls that the sandbox
/// forbids.
struct ResultFile {
  private let file: HashedFile

  /// Creates an empty file.
  init(_ path: String) throws(JobError) {
    do throws(FileWriteError) {
      file = try HashedFile(path)
    } catch {
      throw JobError(error)
    }
  }

  /// Appends bytes.
  func write(_ data: Data) throws(JobError) {
    do throws(FileWriteError) {
      try file.write(data)
    } catch {
      throw JobError(error)
    }
  }

  /// Ends the file and returns the SHA-256 of everything written, computed before the bytes reached the disk. Call it
  /// once.
  func finish() -> Digest { file.finish() }
}
