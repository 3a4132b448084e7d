import Crypto
import Foundation

/// Keeps local files with the bytes of stored objects, for whoever reads them. Every call blocks.
///
/// `@unchecked` is sound because `condition` is locked during every access to the state.
final class LocalCopies: @unchecked Sendable {
  private let folder: String
  /// The folder for copies that are not complete.
  private let staging: String
  private let space: DiskSpace
  private let condition = NSCondition()
  /// The copies that are being made.
  private var making: Set<String> = []
  /// The copies that were found to match their digests, and were not written to since.
  private var sound: [String: Identity] = [:]

  /// Identifies a file as it was written.
  private struct Identity: Hashable {
    let inode: UInt64
    let byteCount: Int64
    let seconds: Int
    let nanoseconds: Int

    /// The identity of the file at a path; `nil` if there is none.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      inode = UInt64(status.st_ino)
      byteCount = Int64(status.st_size)
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  private static let mostSound = 50_000
  /// How long a copy stays after its last use.
  private static let lifetime: TimeInterval = 86_400
  /// How long it stays if the disk is full.
  private static let shortLifetime: TimeInterval = 3600

  /// - Parameters:
  ///   - folder: the folder for the copies.
  ///   - staging: a folder on the same disk for copies that are not complete.
  init(in folder: String, staging: String, space: DiskSpace) {
    (self.folder, self.staging, self.space) = (folder, staging, space)
  }

  /// The path of the copy of an object's version, whether or not it exists.
  private func path(of object: StoredObject, _ version: ObjectVersion) -> String {
    let name = Digest.of(Data("\(object.key) \(version.copy)".utf8)).description
    return "\(folder)/\(name.prefix(2))/\(name)"
  }

  /// The path of a copy, which is used now; `nil` if there is none. A copy that was written to since it was made is
  /// compared with the digest of the object, and removed if it does not match.
  func existing(of object: StoredObject, _ facts: ObjectFacts) -> String? {
    let path = path(of: object, facts.version)
    var unknown: Identity?
    let isSound = condition.withLock {
      guard let found = Identity(path), found.byteCount == facts.byteCount else { return false }
      guard sound[path] == found else {
        unknown = found
        return false
      }
      return use(path)
    }
    if isSound { return path }
    guard let unknown else { return nil }
    // It was written to, or is of an earlier run of the coordinator.
    let stated = ObjectMark(facts.version.copy)?.digest
    let matches = stated.map { (try? PacedReading.compare(path, with: $0)) == .sound } ?? true
    return condition.withLock {
      // Another thread may have used or replaced it meanwhile.
      if let found = Identity(path), sound[path] == found { return use(path) ? path : nil }
      guard Identity(path) == unknown else { return nil }
      guard matches else {
        unlink(path)
        return nil
      }
      return use(path) ? path : nil
    }
  }

  /// Notes that a copy is sound and used now. Call it with `condition` locked.
  ///
  /// - Returns: whether it exists.
  private func use(_ path: String) -> Bool {
    guard utimes(path, nil) == 0 else { return false }
    note(path)
    return true
  }

  /// Notes that the file at a path is sound. Call it with `condition` locked.
  private func note(_ path: String) {
    if sound.count >= Self.mostSound { sound = [:] }
    sound[path] = Identity(path)
  }

  /// Makes a copy, unless it exists. If another thread is making it, waits for that.
  ///
  /// - Parameter fetch: writes the object to a path, and returns whether the object exists.
  /// - Returns: its path; `nil` if the object does not exist.
  func path(
    of object: StoredObject, _ facts: ObjectFacts, fetch: (String) throws(StorageError) -> Bool
  ) throws(StorageError) -> String? {
    let path = path(of: object, facts.version)
    begin(path)
    defer { end(path) }
    if let found = existing(of: object, facts) { return found }
    let part = try stage(facts.byteCount)
    defer { unlink(part) }
    guard try fetch(part) else { return nil }
    try take(part, at: path)
    return path
  }

  /// A free path for a file of a length, for which there is room.
  func stage(_ byteCount: Int64) throws(StorageError) -> String {
    makeRoom(space.missing(for: byteCount))
    try space.assure(byteCount)
    return "\(staging)/copy-\(SecureRandom.token(bytes: 12))"
  }

  /// Makes a local file the copy of the object that was stored from it. It is the first to be removed if the disk is full.
  func adopt(_ file: String, of object: StoredObject, _ version: ObjectVersion) {
    var unused = timeval()
    unused.tv_sec = time(nil) - Int(2 * Self.shortLifetime)
    _ = [unused, unused].withUnsafeBufferPointer { utimes(file, $0.baseAddress) }
    replace(object, version, by: file)
  }

  /// Makes a local file the copy of an object, in place of any other.
  func replace(_ object: StoredObject, _ version: ObjectVersion, by file: String) {
    do throws(StorageError) { try take(file, at: path(of: object, version)) } catch { unlink(file) }
  }

  private func take(_ file: String, at path: String) throws(StorageError) {
    // Nothing is lost with a copy.
    try StagedFile.publish(file, as: path, isDurable: false)
    condition.withLock { note(path) }
  }

  /// Removes the copy of a version.
  func remove(_ object: StoredObject, _ version: ObjectVersion) {
    unlink(path(of: object, version))
  }

  /// Waits until no other thread makes a copy.
  private func begin(_ path: String) {
    condition.lock()
    defer { condition.unlock() }
    while making.contains(path) { condition.wait() }
    making.insert(path)
  }

  private func end(_ path: String) {
    condition.lock()
    defer { condition.unlock() }
    making.remove(path)
    condition.broadcast()
  }

  /// Removes copies that were not used for a day.
  func tidy(at now: Date) {
    for copy in all() { remove(copy, unusedSince: now - Self.lifetime) }
  }

  /// Removes copies that were not used for an hour, the least recently used first, until a number of bytes is free.
  func makeRoom(_ byteCount: Int64) {
    guard byteCount > 0 else { return }
    var freed: Int64 = 0
    let limit = Date() - Self.shortLifetime
    for copy in all().sorted(by: { $0.date < $1.date }) where freed < byteCount {
      if remove(copy, unusedSince: limit) { freed += copy.byteCount }
    }
  }

  private struct Copy {
    let path: String
    let byteCount: Int64
    /// The time of its last use.
    let date: Date
  }

  /// Removes a copy unless it was used since a date, also since it was listed.
  @discardableResult
  private func remove(_ copy: Copy, unusedSince limit: Date) -> Bool {
    guard copy.date < limit else { return false }
    return condition.withLock {
      guard let date = FileFacts.date(at: copy.path), date < limit else { return false }
      return unlink(copy.path) == 0
    }
  }

  private func all() -> [Copy] {
    var copies: [Copy] = []
    let names = FileManager.default.enumerator(atPath: folder)
    while let name = names?.nextObject() as? String {
      let path = "\(folder)/\(name)"
      guard let byteCount = FileFacts.byteCount(at: path), let date = FileFacts.date(at: path)
      else { continue }
      copies.append(Copy(path: path, byteCount: byteCount, date: date))
    }
    return copies
  }
}
