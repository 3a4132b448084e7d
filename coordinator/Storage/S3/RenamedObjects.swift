import Synchronization

/// The metadata of an empty object at the new name of an object.
struct RenamedMark: Hashable, CustomStringConvertible {
  /// The original.
  let object: StoredObject
  /// The version of the original that was renamed.
  let version: ObjectVersion

  private static let start = "renamed"

  init(_ object: StoredObject, _ version: ObjectVersion) {
    (self.object, self.version) = (object, version)
  }

  /// Reads a mark; `nil` if the text is something else.
  init?(_ text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 4, parts[0] == Self.start,
      let kind = ObjectKind(rawValue: String(parts[1]))
    else { return nil }
    object = StoredObject(kind, named: String(parts[2]))
    version = ObjectVersion(copy: String(parts[3]))
  }

  var description: String {
    "\(Self.start) \(object.kind.rawValue) \(object.name) \(version.copy)"
  }
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
}
