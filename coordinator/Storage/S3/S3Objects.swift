import Crypto
import FarmAPI
import Foundation
import S3

/// Keeps a coordinator's files as objects in a bucket, under the names that they would have in a data directory.
///
/// Only this coordinator writes objects, so it needs no conditional writes: threads change an object one after the other.
/// The time of an object's last use is that of a second, empty object, because copying a large object onto itself takes
/// long. A renamed object stays where it is, and another, empty object has the new name.
final class S3Objects: SharedObjectStorage {
  let client: ObjectClient
  let copies: LocalCopies
  let known = KnownObjects()
  let log: Log
  let locks = ObjectLocks()
  private let removals = PendingRemovals()
  /// Whether this coordinator still owns the ledger. One that was replaced must not remove what the next one stores.
  let mayRemove: @Sendable () -> Bool
  /// The objects that were renamed.
  private let hidden = HiddenObjects()
  /// The number of objects that were set aside.
  let damages = DamageCount()
  /// The size of a file above which it is sent in parts, and the size of the parts.
  private let partSize: Int64

  /// The size of the parts of a large file in bytes.
  static let usualPartSize: Int64 = 16 << 20
  /// A use that the store knows is not noted there again for this time in seconds.
  private static let precision: TimeInterval = 600

  /// Opens a bucket. Blocks while the chunks in it are listed.
  ///
  /// - Throws: ``StorageError`` if it cannot be read.
  init(
    _ client: ObjectClient, directory: DataDirectory, space: DiskSpace,
    partSize: Int64 = S3Objects.usualPartSize, mayRemove: @escaping @Sendable () -> Bool = { true },
    log: Log
  ) throws(StorageError) {
    self.mayRemove = mayRemove
    self.client = client
    self.log = log
    self.partSize = partSize
    copies = LocalCopies(in: directory.copies, staging: directory.uploads, space: space)
    try list(.chunk) { _ in }
  }

  // MARK: - Facts

  func facts(of object: StoredObject) throws(StorageError) -> ObjectFacts? {
    if hidden.contains(object) || removals.contains(object) { return nil }
    if let facts = known.recent(of: object) { return facts }
    return try locks.withLock(object) { () throws(StorageError) in try currentFacts(of: object) }
  }

  /// Asks the store. Call it only with the object's lock, so that the answer is not older than what is known.
  func currentFacts(of object: StoredObject) throws(StorageError) -> ObjectFacts? {
    let facts = try StorageError.converting { () throws(S3Error) -> ObjectFacts? in
      guard let head = try client.head(object.key) else { return nil }
      let use: Date?
      if let noted = known.use(of: object) {
        use = noted
      } else {
        use = try client.head(object.keyOfUse)?.date
      }
      return ObjectFacts(
        byteCount: head.byteCount, date: max(head.date, use ?? .distantPast),
        version: ObjectVersion(copy: head.mark ?? head.tag))
    }
    if let facts { known.note(facts, of: object) } else { known.forget(object) }
    return facts
  }

  func contains(_ object: StoredObject) -> Bool {
    if removals.contains(object) { return false }
    if object.kind == .chunk, known.byteCount(ofChunk: object) != nil { return true }
    do throws(StorageError) { return try facts(of: object) != nil } catch { return true }
  }

  func byteCount(of object: StoredObject) -> Int64? {
    if object.kind == .chunk, let count = known.byteCount(ofChunk: object) { return count }
    do throws(StorageError) { return try facts(of: object)?.byteCount } catch { return nil }
  }

  // MARK: - Storing

  func keep(
    fileAt path: String, as object: StoredObject, isDurable: Bool, turn: ObjectTurn
  ) throws(StorageError) {
    try keep(fileAt: path, as: object, note: nil, turn: turn)
  }

  func keep(
    fileAt path: String, as object: StoredObject, note: String?, turn: ObjectTurn
  ) throws(StorageError) {
    let (digest, byteCount) = try Self.content(of: path)
    let mark = ObjectMark(digest)
    var hasAppeared = false
    var upload: MultipartUpload?
    // The parts of a large file are sent before its turn.
    if byteCount > partSize {
      upload = try StorageError.converting { () throws(S3Error) in
        try MultipartUpload(
          of: path, as: object.key, mark: "\(mark)", note: note, partSize: partSize, to: client)
      }
    }
    defer { if !hasAppeared { upload?.abort() } }
    try turn { [self] () throws(StorageError) in
      try locks.withLock(object) { () throws(StorageError) in
        removals.cancel(object)
        known.forget(object)
        try StorageError.converting { () throws(S3Error) in
          if let upload {
            try upload.complete()
          } else {
            try client.put(fileAt: path, digest, as: object.key, mark: "\(mark)", note: note)
          }
        }
        noteStored(object, byteCount, mark)
        hasAppeared = true
      }
    }
    if hasAppeared { copies.adopt(path, of: object, ObjectVersion(copy: "\(mark)")) }
  }

  /// Copies the object at `key` to `object`.
  func keep(
    _ key: String, _ byteCount: Int64, as object: StoredObject, _ digest: Digest, note: String?
  ) throws(StorageError) {
    let mark = ObjectMark(digest)
    try locks.withLock(object) { () throws(StorageError) in
      removals.cancel(object)
      known.forget(object)
      try StorageError.converting { () throws(S3Error) in
        try client.copy(
          key, to: object.key, byteCount: byteCount, mark: "\(mark)", note: note)
      }
      noteStored(object, byteCount, mark)
    }
  }

  private func noteStored(_ object: StoredObject, _ byteCount: Int64, _ mark: ObjectMark) {
    hidden.remove(object)
    known.note(
      ObjectFacts(byteCount: byteCount, date: Date(), version: ObjectVersion(copy: "\(mark)")),
      of: object)
  }

  // MARK: - Use and removal

  func touch(_ object: StoredObject) -> (before: ObjectVersion, after: ObjectVersion)? {
    let version = try? locks.withLock(object) { () throws(StorageError) -> ObjectVersion? in
      guard let facts = try facts(of: object) else { return nil }
      let now = Date()
      let isNews = facts.date < now - Self.precision
      // It counts at once, even if the store cannot be told: only this coordinator removes objects.
      known.noteUse(of: object, at: now)
      if isNews { try? client.put(Data(), as: object.keyOfUse) }
      return facts.version
    }
    return version.flatMap(\.self).map { ($0, $0) }
  }

  func remove(_ object: StoredObject) throws(StorageError) -> Bool {
    try locks.withLock(object) { () throws(StorageError) in
      removals.cancel(object)
      guard let facts = try facts(of: object) else { return false }
      try erase(object, facts.version)
      return true
    }
  }

  /// Removes an object. Call it only with the object's lock.
  func erase(_ object: StoredObject, _ version: ObjectVersion?) throws(StorageError) {
    // The answer may be lost, so it counts as unknown from now on.
    known.forget(object)
    if let version { copies.remove(object, version) }
    try StorageError.converting { () throws(S3Error) in
      if let mark = version.flatMap({ RenamedMark($0.copy) }) { try erase(mark) }
      try client.delete(object.key, if: mayRemove)
    }
    // If this fails, the record of the last use does no harm.
    try? client.delete(object.keyOfUse)
  }

  /// Removes the original of a renamed object, unless another object has taken its place.
  private func erase(_ mark: RenamedMark) throws(S3Error) {
    if let head = try client.head(mark.object.key), (head.mark ?? head.tag) == mark.version.copy {
      known.forget(mark.object)
      try client.delete(mark.object.key, if: mayRemove)
    }
    hidden.remove(mark.object)
  }

  func removeSoon(_ objects: [StoredObject]) {
    removals.add(objects) { [self] object in
      do throws(StorageError) {
        try locks.withLock(object) { () throws(StorageError) in
          // It may have been stored again since.
          guard removals.contains(object) else { return }
          try erase(object, known.last(of: object)?.version)
          removals.cancel(object)
        }
        return true
      } catch {
        return false
      }
    }
  }

  func rename(_ object: StoredObject, to other: StoredObject) throws(StorageError) -> Bool {
    if hidden.key(of: other) == object.key {
      // This takes a renaming back. If the store does not answer, the mark does no harm: it is removed with the object.
      hidden.remove(other)
      takeBack(object)
      return true
    }
    guard let facts = try facts(of: object) else { return false }
    let mark = RenamedMark(object, facts.version)
    do throws(StorageError) {
      try locks.withLock(other) { () throws(StorageError) in
        known.forget(other)
        try StorageError.converting { () throws(S3Error) in
          try client.put(Data(), as: other.key, mark: "\(mark)")
        }
        known.note(
          ObjectFacts(byteCount: 0, date: Date(), version: ObjectVersion(copy: "\(mark)")),
          of: other)
      }
    } catch {
      // It may exist nevertheless.
      takeBack(other)
      throw error
    }
    hidden.add(object, as: other.key)
    known.forget(object)
    copies.remove(object, facts.version)
    return true
  }

  /// Removes an empty object that was to stand for another, as soon as the store answers.
  private func takeBack(_ other: StoredObject) {
    known.forget(other)
    removals.add([other]) { [client, removals, mayRemove] object in
      guard (try? client.delete(object.key, if: mayRemove)) != nil else { return false }
      removals.cancel(object)
      return true
    }
  }

  func forEach(of kind: ObjectKind, _ body: (StoredEntry) -> Void) {
    do throws(StorageError) { try list(kind, body) } catch {
      log.error("cannot list the stored files: \(error)")
    }
  }

  /// Calls `body` with each object of a kind.
  ///
  /// - Throws: ``StorageError`` if they cannot be listed; `body` was called with some of them then.
  func list(_ kind: ObjectKind, _ body: (StoredEntry) -> Void) throws(StorageError) {
    var uses: [String: Date] = [:]
    let generation = known.generation
    let start = "\(kind.rawValue)/"
    try StorageError.converting { () throws(S3Error) in
      try client.forEach(beginningWith: StoredObject.folderOfUses + start) { use in
        uses[String(use.key.dropFirst(StoredObject.folderOfUses.count))] = use.date
        return true
      }
      try client.forEach(beginningWith: start) { listed in
        let object = StoredObject(kind, named: String(listed.key.dropFirst(start.count)))
        if hidden.contains(object) || removals.contains(object) { return true }
        if kind == .chunk { known.note(listed.byteCount, ofChunk: object, listedAt: generation) }
        let use = known.use(of: object) ?? uses[listed.key] ?? .distantPast
        body(
          StoredEntry(
            object: object, byteCount: listed.byteCount, freedByteCount: listed.byteCount,
            date: max(listed.date, use)))
        return true
      }
    }
  }

  func objects(of kind: ObjectKind, in folder: String) throws(StorageError) -> [StoredObject] {
    var objects: [StoredObject] = []
    let start = "\(kind.rawValue)/"
    try StorageError.converting { () throws(S3Error) in
      try client.forEach(beginningWith: "\(start)\(folder)/") { listed in
        objects.append(StoredObject(kind, named: String(listed.key.dropFirst(start.count))))
        return true
      }
    }
    return objects.filter { !removals.contains($0) }
  }

  // MARK: - Disk

  var isOnDisk: Bool { false }

  func makeRoom(_ byteCount: Int64) { copies.makeRoom(byteCount) }

  func tidy(at now: Date, keepingDamaged age: TimeInterval) throws(StorageError) {
    copies.tidy(at: now)
    try sweep(at: now, keepingDamaged: age)
  }

  /// The SHA-256 and the length of a local file.
  static func content(
    of path: String
  ) throws(StorageError) -> (digest: Digest, byteCount: Int64) {
    guard let byteCount = FileFacts.byteCount(at: path) else {
      throw StorageError("cannot read", path, ENOENT)
    }
    do throws(FileReadError) { return (try Digest.of(file: path), byteCount) } catch {
      throw StorageError("cannot read", path, error.number)
    }
  }
}

extension StoredObject {
  /// The beginning of the keys of the objects whose times are those of the last uses of others.
  fileprivate static let folderOfUses = "uses/"
  /// The key of the object whose time is that of this one's last use.
  fileprivate var keyOfUse: String { Self.folderOfUses + key }
}
