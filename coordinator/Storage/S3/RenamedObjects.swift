import Synchronization

/// The metadata of an empty object at the new name of an object: the key of the original.
struct RenamedMark: Hashable, CustomStringConvertible {
  /// The key of the other object.
  let key: String

  private static let start = "renamed."

  init(key: String) { self.key = key }

  /// Reads a mark; `nil` if the text is something else.
  init?(_ text: String) {
    guard text.hasPrefix(Self.start) else { return nil }
    key = String(text.dropFirst(Self.start.count))
  }

  var description: String { Self.start + key }
}

/// The old names of renamed objects, which count as missing.
final class HiddenObjects: Sendable {
  private let keys = Mutex<[StoredObject: String]>([:])

  func contains(_ object: StoredObject) -> Bool { key(of: object) != nil }

  /// The key of the new name of an object; `nil` if it was not renamed.
  func key(of object: StoredObject) -> String? { keys.withLock { $0[object] } }

  /// Hides an object, whose new name has a key.
  func add(_ object: StoredObject, as key: String) { keys.withLock { $0[object] = key } }

  /// Shows an object again.
  func remove(_ object: StoredObject) { keys.withLock { $0[object] = nil } }

  /// Forgets the object with a key, which is gone.
  func remove(key: String) {
    keys.withLock { keys in
      for object in keys.keys where object.key == key { keys[object] = nil }
    }
  }
}
