/// The place of a value in a project file, as keys and indexes from the outermost to the innermost.
///
/// A literal has the form in which the path is shown. An interpolated text is a key, whatever its characters, and an
/// interpolated number is an index: `"\(track).segments[\(number)].source"`.
public struct FindingPath: Hashable, Sendable {
  /// A step from a value to a part of it.
  enum Component: Hashable, Sendable {
    case key(String)
    case index(Int)
    /// Text that names no value, such as a position in a file that is not JSON.
    case text(String)
  }

  /// The steps from the document itself.
  private(set) var components: [Component]

  init(_ components: [Component]) { self.components = components }

  /// The place of a syntax error.
  static func position(line: Int, column: Int) -> FindingPath {
    .text("line \(line), column \(column)")
  }

  /// A path that names no value.
  package static func text(_ text: String) -> FindingPath { FindingPath([.text(text)]) }

  /// The keys and indexes as texts, from the outermost to the innermost; empty if the path names no value.
  package var steps: [String] {
    components.compactMap { component in
      switch component {
      case .key(let key): key
      case .index(let index): "\(index)"
      case .text: nil
      }
    }
  }

  /// Whether this is the path of a value or of a part of it.
  package func isWithin(_ value: FindingPath) -> Bool {
    components.starts(with: value.components)
  }

  /// Whether this is the path of a value whose place in its surroundings is `end`, e.g. `font.family`.
  package func ends(in end: FindingPath) -> Bool {
    components.suffix(end.components.count).elementsEqual(end.components)
  }

  /// The path after a value moves to another place; `nil` if this is not the path of the value or of a part of it.
  func moved(from old: FindingPath, to new: FindingPath) -> FindingPath? {
    guard isWithin(old) else { return nil }
    return FindingPath(new.components + components.dropFirst(old.components.count))
  }
}

extension FindingPath: CustomStringConvertible {
  /// The path as text, e.g. `composition.tracks[0].segments[2].source`. Keys that are not plain names are quoted.
  public var description: String {
    var text = ""
    for component in components {
      switch component {
      case .key(let key) where !Self.isPlain(key): text += "[\"\(key)\"]"
      case .key(let key): text += text.isEmpty ? key : ".\(key)"
      case .index(let index): text += "[\(index)]"
      case .text(let other): text += other
      }
    }
    return text
  }

  private static func isPlain(_ key: String) -> Bool {
    !key.isEmpty
      && key.utf8.allSatisfy { byte in
        let character = Character(Unicode.Scalar(byte))
        return byte < 0x80 && (character.isLetter || character.isNumber || "_-".contains(character))
      }
  }
}
