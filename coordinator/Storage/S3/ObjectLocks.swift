import Foundation

/// Locks for objects, so that threads change one object one after the other.
///
/// `@unchecked` is sound because the locks are never replaced.
final class ObjectLocks: @unchecked Sendable {
  private let locks: [NSRecursiveLock]

  init() { locks = (0..<256).map { _ in NSRecursiveLock() } }

  /// Runs `body` while no other thread runs one for the same object. It may call this again for the same object only.
  func withLock<Value>(
    _ object: StoredObject, _ body: () throws(StorageError) -> Value
  ) throws(StorageError) -> Value {
    var hasher = Hasher()
    hasher.combine(object)
    let lock = locks[Int(UInt(bitPattern: hasher.finalize()) % UInt(locks.count))]
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}
