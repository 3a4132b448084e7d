import FarmAPI
import Foundation
import Timeline

/// The removal of a job's finished file together with the job's record.
///
/// The file is first renamed, then the ledger forgets the job, and then the file is deleted, which may take long. So the
/// file comes back if the ledger cannot be written, and a coordinator that is killed in between leaves either a job whose
/// file is missing or a renamed file, which ``Retention`` deletes.
struct OutputRemoval {
  private let folder: String
  /// The names of the job's finished files, which differ only in their types.
  private let names: [String]
  private var renamed: [(from: String, to: String)] = []

  /// Prepares the removal of the finished file of a job.
  init(of job: String, in directory: DataDirectory) {
    folder = directory.outputs
    names = FileType.allCases.map {
      URL(fileURLWithPath: directory.output(of: job, $0)).lastPathComponent
    }
  }

  private static let prefix = "removed-"

  /// Whether a file in the folder of finished files is the rest of a removal.
  static func isRest(_ name: String) -> Bool { name.hasPrefix(prefix) }

  /// Renames the file, so that it is no longer a finished file.
  ///
  /// - Throws: ``StorageError`` if that fails. Nothing has changed then.
  mutating func begin() throws(StorageError) {
    for name in names {
      let (from, to) = ("\(folder)/\(name)", "\(folder)/\(Self.prefix)\(name)")
      guard rename(from, to) != 0 else {
        renamed.append((from, to))
        continue
      }
      guard errno == ENOENT else {
        let error = StorageError("cannot remove the finished file", from)
        undo()
        throw error
      }
    }
  }

  /// Gives the file its name back.
  mutating func undo() {
    for (from, to) in renamed { rename(to, from) }
    renamed = []
  }

  /// Deletes the renamed file. Blocks.
  ///
  /// - Throws: ``StorageError`` if that fails. ``Retention`` tries again.
  func finish() throws(StorageError) {
    for (_, to) in renamed where unlink(to) != 0 && errno != ENOENT {
      throw StorageError("cannot delete the finished file", to)
    }
  }
}
