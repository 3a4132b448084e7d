import Crypto
import FarmAPI
import Foundation
import Timeline

/// The folder for the temporary files of a job's run. Each media process has its own subfolder, and cannot access other
/// jobs' files.
package struct WorkFolder: Sendable {
  let path: String

  /// Creates a value for the folder at a path. The folder need not exist.
  package init(_ path: String) { self.path = path }

  /// The folder for the output of planning processes.
  var planning: String { "\(path)/planning" }
  /// The file with the mixed sound, in a folder that the mixing process can write to.
  var mix: String { "\(path)/sound/mix" }
  /// The file with the block digests of the mixed sound.
  var mixBlocks: String { "\(path)/sound/mix.blocks" }
  /// The folder with the parts of the sound while it is mixed.
  var soundParts: String { "\(path)/sound/parts" }
  /// The folder with the mixed sound as it is kept for later jobs.
  var keptMix: String { "\(path)/kept" }
  /// The folder with the chunks for the assembling process, which can only read them.
  package var chunks: String { "\(path)/chunks" }

  /// The job's file, in a folder that the assembling process can write to.
  func output(_ type: FileType) -> String { "\(path)/file/output.\(type.rawValue)" }

  /// Creates the folder, and removes the files of an earlier run. Blocks.
  package func make() throws {
    remove()
    for name in ["planning", "sound/parts", "chunks", "file"] {
      try FileManager.default.createDirectory(
        atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }
  }

  /// Removes the folder if it exists. Blocks.
  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Gives the assembling process access to a chunk. Blocks.
  ///
  /// - Returns: the chunk's path, to be passed to ``takeBack(_:)``.
  /// - Throws: `JobError` with the code of a damaged chunk if it is missing, or an error from making the file.
  func lend(_ chunk: Digest, from store: ChunkStore) throws -> String {
    let lent = "\(chunks)/\(chunk)"
    guard try store.lend(chunk, at: lent) else {
      throw JobError(.damagedChunk, "the chunk \(chunk) is missing")
    }
    return lent
  }

  /// Removes a chunk from the assembling process's folder. Blocks.
  func takeBack(_ lent: String) { unlink(lent) }
}
