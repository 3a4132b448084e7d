import Timeline

/// The removal of a job's finished file together with the job's record.
///
/// The file is first renamed, then the ledger forgets the job, and then the file is deleted, which may take long. So the
/// file comes back if the ledger cannot be written, and a coordinator that is killed in between leaves either a job whose
/// file is missing or a renamed file, which ``Retention`` deletes.
struct OutputRemoval {
  private let storage: any ObjectStorage
  /// The job's finished files, which differ only in their types.
  private let outputs: [StoredObject]
  private var renamed: [(from: StoredObject, to: StoredObject)] = []

  /// Prepares the removal of the finished file of a job.
  init(of job: String, in storage: any ObjectStorage) {
    self.storage = storage
    outputs = FileType.allCases.map { .output(of: job, $0) }
  }

  private static let prefix = "removed-"

  /// Whether an object is the rest of a removal.
  static func isRest(_ object: StoredObject) -> Bool { object.name.hasPrefix(prefix) }

  /// Renames the file, so that it is no longer a finished file.
  ///
  /// - Throws: ``StorageError`` if that fails. Nothing has changed then.
  mutating func begin() throws(StorageError) {
    for output in outputs {
      let rest = StoredObject(.output, named: Self.prefix + output.name)
      do throws(StorageError) {
        if try storage.rename(output, to: rest) { renamed.append((output, rest)) }
      } catch {
        undo()
        throw error
      }
    }
  }

  /// Gives the file its name back.
  mutating func undo() {
    for (from, to) in renamed { _ = try? storage.rename(to, to: from) }
    renamed = []
  }

  /// Deletes the renamed file. Blocks.
  ///
  /// - Throws: ``StorageError`` if that fails. ``Retention`` tries again.
  func finish() throws(StorageError) {
    for (_, rest) in renamed { _ = try storage.remove(rest) }
  }
}
