import Crypto
import FarmAPI
import Foundation
import Timeline

/// The file format of a media index: a line with the index's version, the index as JSON, and the SHA-256 of both.
package enum MediaIndexFile {
  private static let label = "sheaf-index "

  /// The first line of an index of the current version.
  private static var header: Data { Data("\(label)\(MediaIndex.currentVersion)\n".utf8) }

  /// Writes an index. Blocks.
  package static func write(_ index: MediaIndex, to path: String) throws {
    let data = try header + FarmCoding.encode(index)
    try ResultFile(path).write(data + Data(Digest.of(data).bytes))
  }

  /// Whether a file's first line has the current version. Blocks.
  package static func isCurrent(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: header.count)) == header
  }

  /// Reads an index. Blocks.
  ///
  /// - Parameter frames: the maximum number of frames.
  /// - Throws: `FrameBudget.Exceeded` if the index has more frames; another error if it is damaged.
  package static func read(_ path: String, frames: Int) throws -> MediaIndex {
    let file = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    let data = file.dropLast(Digest.byteCount)
    guard data.starts(with: header),
      Digest.of(data).bytes.elementsEqual(file.suffix(Digest.byteCount))
    else { throw CocoaError(.fileReadCorruptFile) }
    return try FarmCoding.decode(
      MediaIndex.self, from: data.dropFirst(header.count), frames: frames)
  }
}
