import Crypto
import Foundation

/// Where the coordinator's files are kept: assets and what belongs to them, projects, plans, chunks, mixes, recordings
/// and finished files. ``ObjectFiles`` keeps them in a data directory. Another storage, such as an S3 bucket, has to
/// keep the same promises.
///
/// Calls block. They come from several threads at once, also for the same object.
package protocol ObjectStorage: Sendable {
  /// The facts about an object that are available without reading it; `nil` if the object certainly does not exist.
  ///
  /// - Throws: ``StorageError`` if that cannot be determined now.
  func facts(of object: StoredObject) throws(StorageError) -> ObjectFacts?

  /// Moves a local file into the storage, in place of any object with that name.
  ///
  /// When this returns, a crash or a power failure does not lose the object, unless `isDurable` is false. Readers of an
  /// object that is replaced can read it to its end.
  ///
  /// - Parameters:
  ///   - isDurable: whether the object has to survive a power failure.
  ///   - turn: called once everything else is done, with the step that makes the object appear. If it does not run that
  ///     step, nothing changes, and the file stays at its path.
  /// - Throws: ``StorageError``; the file may still be at its path.
  func keep(
    fileAt path: String, as object: StoredObject, isDurable: Bool, turn: ObjectTurn
  ) throws(StorageError)

  /// Whether an object exists. An object that cannot be examined now counts as existing.
  func contains(_ object: StoredObject) -> Bool

  /// The length of an object in bytes; `nil` if it does not exist or cannot be examined now.
  func byteCount(of object: StoredObject) -> Int64?

  /// The path of a local file with the bytes of an object, for whoever reads it; `nil` if the object does not exist.
  ///
  /// The file stays at this path for an hour after the last call, or until the object is removed or replaced. Whoever
  /// has opened it can read it to its end.
  ///
  /// - Throws: ``StorageError`` if the object cannot be examined or brought to this host now.
  func localPath(of object: StoredObject) throws(StorageError) -> String?

  /// Puts a local file with the bytes of an object at a path for a process that reads it. Whoever asked removes the file;
  /// that does not change the storage.
  ///
  /// - Returns: whether the object exists.
  /// - Throws: an error if the file cannot be made.
  func lend(_ object: StoredObject, at path: String) throws -> Bool

  /// Opens an object to check its bytes; `nil` if it does not exist.
  ///
  /// - Parameter fromDisk: whether to read what is stored, and not what a cache has of it.
  /// - Throws: ``StorageError`` if the object cannot be opened now.
  func reading(of object: StoredObject, fromDisk: Bool) throws(StorageError) -> ObjectReading?

  /// Moves an object that was found to be damaged to the quarantine, so that it does not exist any more, unless another
  /// object has taken its place.
  ///
  /// - Parameters:
  ///   - version: the version that is damaged.
  ///   - digest: the SHA-256 that the object should have.
  ///   - reason: the damage, for the log.
  /// - Returns: whether it was moved.
  @discardableResult
  func setAside(
    _ object: StoredObject, _ version: ObjectVersion, _ digest: Digest, because reason: String
  ) -> Bool

  /// Whether a damaged object of a kind with this digest is in the quarantine.
  func hasSetAside(_ kind: ObjectKind, _ digest: Digest) -> Bool

  /// The number of objects that were moved to the quarantine since the coordinator started.
  var setAsideCount: Int { get }

  /// Sets the time of an object's last use to the current time.
  ///
  /// - Returns: the object's versions before and after; `nil` if it does not exist, or if it was written to meanwhile.
  @discardableResult
  func touch(_ object: StoredObject) -> (before: ObjectVersion, after: ObjectVersion)?

  /// Removes an object.
  ///
  /// - Returns: whether it existed.
  /// - Throws: ``StorageError``; the object still exists.
  func remove(_ object: StoredObject) throws(StorageError) -> Bool

  /// Removes objects, perhaps after this returns. They count as missing at once, unless they are stored again.
  func removeSoon(_ objects: [StoredObject])

  /// Gives an object another name, in place of any object with that name.
  ///
  /// - Returns: whether the object existed.
  /// - Throws: ``StorageError``; nothing has changed.
  func rename(_ object: StoredObject, to other: StoredObject) throws(StorageError) -> Bool

  /// Calls `body` with each object of a kind, in any order. Objects that come or go meanwhile may be included or not.
  func forEach(of kind: ObjectKind, _ body: (StoredEntry) -> Void)

  /// The objects of a kind whose names begin with a folder's name and `/`.
  ///
  /// - Throws: ``StorageError`` if they cannot be listed now.
  func objects(of kind: ObjectKind, in folder: String) throws(StorageError) -> [StoredObject]

  /// Whether the objects are on the disk of the data directory, so that removing one frees space there.
  var isOnDisk: Bool { get }

  /// Removes local copies of objects that are stored elsewhere, until a number of bytes is free. Copies that were used
  /// in the last hour stay.
  func makeRoom(_ byteCount: Int64)

  /// Removes what interrupted work left behind, local copies that were not used for a day, and damaged objects.
  ///
  /// - Parameter age: the age in seconds at which damaged objects are removed.
  /// - Throws: ``StorageError`` if that is not possible now.
  func tidy(at now: Date, keepingDamaged age: TimeInterval) throws(StorageError)
}

extension ObjectStorage {
  package var isOnDisk: Bool { true }
  package func removeSoon(_ objects: [StoredObject]) { for object in objects { discard(object) } }
  package func makeRoom(_ byteCount: Int64) {}
  package func tidy(at now: Date, keepingDamaged age: TimeInterval) {}
}

/// Decides whether an object appears, and runs the step that makes it appear.
package typealias ObjectTurn =
  (_ appear: @escaping () throws(StorageError) -> Void) throws(StorageError) -> Void

/// The facts about an object that are available without reading it.
package struct ObjectFacts: Hashable, Sendable {
  /// The length in bytes.
  package let byteCount: Int64
  /// The time when the object was stored or last used.
  package var date: Date
  package let version: ObjectVersion

  package init(byteCount: Int64, date: Date, version: ObjectVersion) {
    (self.byteCount, self.date, self.version) = (byteCount, date, version)
  }
}

/// Tells the states of an object apart.
package struct ObjectVersion: Hashable, Sendable {
  /// Changes when another object takes the place of this one.
  package let copy: String
  /// Changes also when the object is written to or used.
  package let state: String

  package init(copy: String, state: String = "") { (self.copy, self.state) = (copy, state) }
}

/// An object in a list.
package struct StoredEntry: Hashable, Sendable {
  package let object: StoredObject
  /// The length in bytes.
  package let byteCount: Int64
  /// The number of bytes that removing the object frees: none while its file is lent.
  package let freedByteCount: Int64
  /// The time when the object was stored or last used.
  package let date: Date

  package init(object: StoredObject, byteCount: Int64, freedByteCount: Int64, date: Date) {
    (self.object, self.byteCount) = (object, byteCount)
    (self.freedByteCount, self.date) = (freedByteCount, date)
  }
}

/// An object that is being read to check its bytes.
package struct ObjectReading {
  let file: PacedReading
  /// The version that is read.
  package let version: ObjectVersion

  init(_ file: PacedReading, _ version: ObjectVersion) {
    (self.file, self.version) = (file, version)
  }

  /// Reads a version of an object from a local file; `nil` if there is none.
  package init?(fileAt path: String, _ version: ObjectVersion) throws(StorageError) {
    guard let file = try PacedReading.ifPresent(path) else { return nil }
    self.init(file, version)
  }
}

extension ObjectStorage {
  package func contains(_ object: StoredObject) -> Bool {
    do { return try facts(of: object) != nil } catch { return true }
  }

  package func byteCount(of object: StoredObject) -> Int64? {
    (try? facts(of: object))?.byteCount
  }

  /// Moves a local file into the storage, in place of any object with that name. When this returns, a crash or a power
  /// failure does not lose the object.
  package func keep(fileAt path: String, as object: StoredObject) throws(StorageError) {
    try keep(fileAt: path, as: object, isDurable: true) { appear throws(StorageError) in
      try appear()
    }
  }

  /// Moves a local file into the storage. A note is stored with it if workers can reach the storage, and is dropped
  /// otherwise.
  func keep(
    fileAt path: String, as object: StoredObject, note: String?
  ) throws(StorageError) {
    if let note, let shared = self as? any SharedObjectStorage {
      try shared.keep(fileAt: path, as: object, noting: note)
    } else {
      try keep(fileAt: path, as: object)
    }
  }

  /// Stores a small object.
  ///
  /// - Parameter path: a free path for a temporary file.
  func keep(_ data: Data, as object: StoredObject, by path: String) throws(StorageError) {
    let file = try StagedFile(path)
    try file.write(data)
    try file.commit(as: object, in: self)
  }

  /// Removes an object if that is possible. Retention tries again.
  ///
  /// - Returns: whether it existed and is gone.
  @discardableResult
  func discard(_ object: StoredObject) -> Bool { (try? remove(object)) ?? false }

  /// Removes an object if that is possible, unless it was stored or used since a date.
  ///
  /// - Returns: whether it existed and is gone.
  func discard(_ object: StoredObject, unusedSince date: Date) -> Bool {
    guard let facts = try? facts(of: object), facts.date < date else { return false }
    return discard(object)
  }

  /// Reads an entire object, and compares it with its digest.
  ///
  /// - Parameters:
  ///   - fromDisk: whether to read what is stored, and not what a cache has of it.
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Throws: an error from `pace`, or ``StorageError`` if the object cannot be read now.
  func compare(
    _ object: StoredObject, with digest: Digest, fromDisk: Bool, pace: (Int) throws -> Void
  ) throws -> ObjectComparison {
    guard let reading = try reading(of: object, fromDisk: fromDisk) else { return .missing }
    switch try reading.file.compare(with: digest, pace: pace) {
    case nil: return .sound(reading.version)
    case let damage?: return .damaged(reading.version, damage)
    }
  }

  /// Reads an entire object that is named after its digest. A damaged one is moved to the quarantine.
  ///
  /// - Parameters:
  ///   - fromDisk: whether to read what is stored, and not what a cache has of it.
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  /// - Throws: an error from `pace`, or ``StorageError`` if the object cannot be read now.
  func inspect(
    _ kind: ObjectKind, _ digest: Digest, fromDisk: Bool, pace: (Int) throws -> Void
  ) throws -> ObjectVerdict {
    let object = StoredObject(kind, digest)
    switch try compare(object, with: digest, fromDisk: fromDisk, pace: pace) {
    case .sound: return .sound
    case .missing: return .missing
    case .damaged(let version, let damage):
      let isAside = setAside(object, version, digest, because: "\(damage)")
      // If only a local copy was damaged, it was replaced.
      if !isAside, !isOnDisk,
        case .sound = try compare(object, with: digest, fromDisk: false, pace: pace)
      {
        return .sound
      }
      return .damaged
    }
  }
}

/// The result of comparing an object with its digest.
enum ObjectComparison: Hashable, Sendable {
  /// This version matches the digest.
  case sound(ObjectVersion)
  case missing
  /// This version does not match the digest.
  case damaged(ObjectVersion, PacedReading.Damage)
}

/// The result of checking an object.
enum ObjectVerdict: Hashable, Sendable {
  case sound
  /// It was damaged, and was moved to the quarantine.
  case damaged
  case missing
}
