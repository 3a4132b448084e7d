import Crypto
import Synchronization

/// Remembers which objects matched their digests, until they are written to. Every call blocks.
///
/// ``Scrubber`` finds bytes that change without a write by reading every object again.
final class SoundObjects: Sendable {
  private typealias Entry = (version: ObjectVersion, digest: Digest)

  private let storage: any ObjectStorage
  private let known = Mutex<[StoredObject: Entry]>([:])
  private static let mostKnown = 10_000

  init(in storage: any ObjectStorage) { self.storage = storage }

  /// Whether an object was found to match its digest and has not been written to since.
  func contains(_ object: StoredObject, _ digest: Digest) -> Bool {
    guard let facts = try? storage.facts(of: object),
      let last = known.withLock({ $0[object] })
    else { return false }
    return last.version == facts.version && last.digest == digest
  }

  /// Records that a version of an object matches its digest.
  func insert(_ object: StoredObject, _ version: ObjectVersion, _ digest: Digest) {
    known.withLock { known in
      if known.count >= Self.mostKnown { known = [:] }
      known[object] = (version, digest)
    }
  }

  /// Forgets an object that was found to be damaged.
  func remove(_ object: StoredObject) {
    _ = known.withLock { $0.removeValue(forKey: object) }
  }

  /// Sets the time of an object's last use to the current time, which does not count as writing to it.
  func touch(_ object: StoredObject) {
    let versions = storage.touch(object)
    known.withLock { known in
      guard let entry = known[object] else { return }
      guard let versions, entry.version == versions.before else {
        known[object] = nil
        return
      }
      known[object] = (versions.after, entry.digest)
    }
  }
}
