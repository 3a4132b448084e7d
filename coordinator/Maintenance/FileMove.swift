import Crypto
import FarmAPI
import Foundation
import S3

/// Moves a farm's stored files from a data directory to a bucket, or back, while no coordinator is running.
package struct FileMove {
  private let directory: DataDirectory
  private let files: ObjectFiles
  private let objects: S3Objects
  private let client: ObjectClient

  private init(_ data: String, _ client: ObjectClient, log: Log) throws {
    directory = try DataDirectory(data)
    files = ObjectFiles(directory, quarantine: Quarantine(directory, log: log))
    objects = try S3Objects(
      client, directory: directory, space: DiskSpace(data, reserve: 0), log: log)
    self.client = client
  }

  /// Moves the stored files of the data directory at `data` to a bucket, one after the other. If it is interrupted, it can
  /// be repeated.
  ///
  /// - Returns: the number of files that were moved.
  /// - Throws: ``StorageError``, also if a coordinator is running.
  package static func toStore(_ data: String, _ client: ObjectClient, log: Log) throws -> Int {
    let move = try FileMove(data, client, log: log)
    try StoreRecord.begin(
      .moving, client, for: data, hasRest: !filesLeft(in: data, of: [.recording]).isEmpty)
    var count = 0
    for object in try filesLeft(in: data) {
      try move.objects.keep(fileAt: ObjectFiles.path(of: object, in: data), as: object)
      count += 1
    }
    if let rest = try filesLeft(in: data).first {
      throw StorageError(
        .inUse,
        "\(data)/\(rest.key) was added during the move: run `sheaf-coordinator move-files` again")
    }
    try StoreRecord.finish(.moving, in: data)
    return count
  }

  /// The stored files in the data directory at `data`.
  private static func filesLeft(
    in data: String, of kinds: [ObjectKind] = ObjectKind.allCases
  ) throws -> [StoredObject] {
    try kinds.flatMap { kind in
      // Folders are in the list, too.
      try FilesOnDisk(data: data).all(of: kind).filter {
        FileFacts.byteCount(at: ObjectFiles.path(of: $0, in: data)) != nil
      }
    }
  }

  /// Copies the stored files from a bucket to the data directory at `data`, which then no longer uses the bucket. If it is
  /// interrupted, it can be repeated.
  ///
  /// - Returns: the number of files that were copied.
  /// - Throws: ``StorageError``, also if a coordinator is running.
  package static func fromStore(_ data: String, _ client: ObjectClient, log: Log) throws -> Int {
    let move = try FileMove(data, client, log: log)
    try StoreRecord.begin(.returning, client, for: data)
    var count = 0
    for kind in ObjectKind.allCases {
      var listed: [StoredObject] = []
      try move.objects.list(kind) { listed.append($0.object) }
      for object in listed {
        let copy = "\(move.directory.uploads)/returned-\(SecureRandom.token(bytes: 12))"
        defer { unlink(copy) }
        guard try move.objects.lend(object, at: copy) else { continue }
        try move.files.keep(fileAt: copy, as: object)
        count += 1
      }
    }
    try StoreRecord.finish(.returning, in: data)
    try? FileManager.default.removeItem(atPath: move.directory.copies)
    return count
  }
}
