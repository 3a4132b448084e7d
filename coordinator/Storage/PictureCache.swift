import Crypto
import Foundation
import Synchronization

/// Keeps the pictures that were asked for last, by the digest of what they show.
final class PictureCache: Sendable {
  private struct State {
    var pictures: [Digest: Data] = [:]
    /// The least recently used first.
    var order: [Digest] = []
    var byteCount = 0
  }

  private let byteLimit: Int
  private let state = Mutex(State())

  /// Creates an empty cache.
  ///
  /// - Parameter byteLimit: the maximum size of all pictures together.
  init(byteLimit: Int = 16 << 20) { self.byteLimit = byteLimit }

  /// The picture of a digest, if it is kept.
  func picture(of digest: Digest) -> Data? {
    state.withLock { state in
      guard let picture = state.pictures[digest] else { return nil }
      state.order.removeAll { $0 == digest }
      state.order.append(digest)
      return picture
    }
  }

  /// Keeps a picture, and drops those that were not asked for the longest.
  func keep(_ picture: Data, of digest: Digest) {
    state.withLock { state in
      guard picture.count <= byteLimit, state.pictures[digest] == nil else { return }
      state.pictures[digest] = picture
      state.order.append(digest)
      state.byteCount += picture.count
      while state.byteCount > byteLimit, let oldest = state.order.first {
        state.order.removeFirst()
        state.byteCount -= state.pictures.removeValue(forKey: oldest)?.count ?? 0
      }
    }
  }
}
