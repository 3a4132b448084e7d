import Crypto
import Foundation
import S3

/// A data directory's record of the object store that has its files.
///
/// The store has an object with the same identity. So a farm never uses, and never cleans up, the objects of another one.
struct StoreRecord: Codable, Sendable {
  /// Where the stored files are.
  enum State: String, Codable, Sendable {
    /// In the bucket.
    case stored
    /// In the data directory, until the move to the bucket is complete.
    case moving
    /// In the bucket, until the move to the data directory is complete.
    case returning
  }

  /// Identifies the farm's objects.
  let identity: String
  /// The bucket, for messages.
  let bucket: String
  var state: State

  /// The key of the object with the identity.
  private static let key = "farm.json"

  private init(
    _ state: State, _ client: ObjectClient, identity: String = SecureRandom.token()
  ) {
    self.identity = identity
    bucket = "\(client.bucket)"
    self.state = state
  }

  private static func file(in data: String) -> RecordFile<StoreRecord> {
    RecordFile(
      path: "\(data)/store.json", of: "the record of the object store",
      remedy: "restore it from a backup of the data directory")
  }

  /// The record of the data directory at `data`; `nil` if its files have never been in an object store.
  static func read(in data: String) throws -> StoreRecord? {
    try file(in: data).records().first
  }

  private func write(in data: String) throws { try Self.file(in: data).update { $0 = [self] } }

  // MARK: - Checks

  /// Checks that the files of a data directory are not in an object store.
  ///
  /// - Throws: ``StorageError`` if they are.
  static func assureNone(in data: String) throws {
    guard let record = try read(in: data) else { return }
    guard record.state == .stored else { throw record.interrupted(data) }
    throw StorageError(
      .inUse, "the stored files of \(data) are in an object store: use --store \(record.bucket)")
  }

  /// Checks that a bucket is a data directory's, without changing anything.
  ///
  /// - Throws: ``StorageError`` if it is not.
  static func assure(_ client: ObjectClient, of data: String) throws {
    guard let known = try read(in: data) else {
      throw StorageError(
        .inUse,
        "\(data) keeps its files on disk, not in \(client.bucket): start without --store, or move the "
          + "files with `sheaf-coordinator move-files`")
    }
    guard known.state == .stored else { throw known.interrupted(data) }
    guard try has(known.identity, client) else { throw known.foreign(client, data) }
  }

  /// Claims a bucket for a data directory, or checks that it is the directory's.
  ///
  /// - Parameter isUnused: whether the directory has no stored files.
  /// - Throws: ``StorageError`` if the bucket belongs to another farm, contains other objects or cannot be used, or if the
  ///   directory has files of its own.
  static func claim(
    _ client: ObjectClient, for directory: DataDirectory, isUnused: Bool
  ) throws {
    guard try read(in: directory.path) == nil else {
      try assure(client, of: directory.path)
      guard let file = directory.usedFile(of: [.recording]) else { return }
      throw StorageError(
        .inUse,
        "\(directory.path) contains \(file), which an earlier version kept on disk: move it to "
          + "\(client.bucket) with `sheaf-coordinator move-files`")
    }
    guard isUnused else {
      throw StorageError(
        .inUse,
        "\(directory.path) already contains files: use an empty data directory, or move the files with "
          + "`sheaf-coordinator move-files`")
    }
    try make(.stored, client, for: directory.path)
  }

  /// Makes the bucket of a farm the store of a data directory that joins the farm.
  ///
  /// - Throws: ``StorageError`` if the bucket has another identity.
  static func join(_ client: ObjectClient, _ identity: String, for data: String) throws {
    let record = StoreRecord(.stored, client, identity: identity)
    guard try has(identity, client) else {
      throw StorageError(
        .inUse, "\(client.bucket) is not the object store of the farm in the ledger: check --store")
    }
    try record.write(in: data)
  }

  // MARK: - Moves

  /// Begins to move files, or continues an interrupted move.
  ///
  /// - Parameter hasRest: whether the data directory has files that belong in the bucket, although the move there is
  ///   complete.
  /// - Throws: ``StorageError`` if the files are elsewhere, or the bucket cannot be used.
  static func begin(
    _ move: State, _ client: ObjectClient, for data: String, hasRest: Bool = false
  ) throws {
    guard var record = try read(in: data) else {
      guard move == .moving else {
        throw StorageError(
          .inUse, "the files of \(data) are in the data directory already: there is nothing to move"
        )
      }
      return try make(.moving, client, for: data)
    }
    guard record.bucket == "\(client.bucket)", try identity(in: client) == record.identity else {
      throw record.foreign(client, data)
    }
    if move == .moving, record.state == .returning { throw record.interrupted(data) }
    if move == .moving, record.state == .stored {
      if hasRest { return }
      throw StorageError(
        .inUse,
        "the files of \(data) are in \(client.bucket) already: start the coordinator with --store "
          + "\(client.bucket)")
    }
    record.state = move
    try record.write(in: data)
  }

  /// Ends a move.
  static func finish(_ move: State, in data: String) throws {
    guard move == .moving, var record = try read(in: data) else { return try remove(in: data) }
    record.state = .stored
    try record.write(in: data)
  }

  private static func remove(in data: String) throws { try file(in: data).update { $0 = [] } }

  // MARK: - Identities

  /// Writes a new identity to a data directory and an empty bucket.
  private static func make(_ state: State, _ client: ObjectClient, for data: String) throws {
    if try identity(in: client) != nil {
      throw StorageError(
        .inUse,
        "\(client.bucket) contains the stored files of another data directory: choose another prefix; "
          + "if that directory was lost, restore its store.json and its ledger from a backup; if "
          + "\(key) is the only object, or you moved the files back, empty the prefix")
    }
    for bucket in client.bucket.enclosing where holdsFarm(client.with(bucket)) {
      throw StorageError(
        .inUse, "\(client.bucket) is inside \(bucket), which another farm uses: use another prefix")
    }
    try StorageError.converting { () throws(S3Error) in try assureEmpty(client) }
    let record = StoreRecord(state, client)
    // If the next step is not reached, the bucket counts as another directory's, and nothing is lost.
    try StorageError.converting { () throws(S3Error) in
      try client.put(Data(record.identity.utf8), as: key)
    }
    try record.write(in: data)
  }

  private static func assureEmpty(_ client: ObjectClient) throws(S3Error) {
    var first: String?
    try client.forEach(beginningWith: "") { object in
      first = object.key
      return false
    }
    guard let first else { return }
    throw S3Error(
      .refused,
      "\(client.bucket) is not empty; it contains \(first), for example: use an empty prefix")
  }

  /// Whether a bucket has a certain identity. If not, it is read again, because one answer may be damaged.
  private static func has(_ identity: String, _ client: ObjectClient) throws -> Bool {
    for _ in 0..<3 {
      if try Self.identity(in: client) == identity { return true }
      Thread.sleep(forTimeInterval: 0.5)
    }
    return false
  }

  /// Whether a bucket has an identity. The access key need not allow to read it there.
  private static func holdsFarm(_ client: ObjectClient) -> Bool {
    (try? identity(in: client)).flatMap(\.self) != nil
  }

  /// The identity in a bucket; `nil` if there is none.
  private static func identity(in client: ObjectClient) throws(StorageError) -> String? {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "sheaf-farm-\(SecureRandom.token(bytes: 12))").path
    defer { unlink(path) }
    return try StorageError.converting { () throws(S3Error) -> String? in
      guard try client.get(key, to: path), let data = FileManager.default.contents(atPath: path)
      else { return nil }
      return String(decoding: data, as: UTF8.self)
    }
  }

  private func foreign(_ client: ObjectClient, _ data: String) -> StorageError {
    guard bucket != "\(client.bucket)" else {
      return StorageError(
        .inUse,
        "the object \(Self.key) in \(bucket), which shows that the stored files of \(data) are there, is "
          + "missing or another farm's: restore it with the other objects")
    }
    return StorageError(
      .inUse,
      "\(client.bucket) does not contain the stored files of \(data), which are in \(bucket): use --store "
        + "\(bucket); if you restored its objects, restore the object \(Self.key), too")
  }

  private func interrupted(_ data: String) -> StorageError {
    StorageError(
      .inUse,
      state == .returning
        ? "copying the files of \(data) back from \(bucket) was interrupted: run `sheaf-coordinator "
          + "move-files --back` again"
        : "the move of the files of \(data) to \(bucket) was interrupted: run `sheaf-coordinator "
          + "move-files` again with the same options")
  }
}
