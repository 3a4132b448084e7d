import Crypto

/// A folder on the coordinator's host in which a worker of the same user can leave chunks instead of sending them.
///
/// A worker shares the folder if only its own user can use the folder and it finds the mark there. It then links the
/// chunk's file into the folder, and delivers its name in ``fileHeaderName``.
public struct ChunkFolder: Hashable, Codable, Sendable {
  /// The request header of a delivery that carries the name of the chunk's file: 16 to 64 hexadecimal digits.
  public static let fileHeaderName = "Sheaf-Chunk-File"

  /// The beginning of the names of marks.
  public static let markPrefix = "mark-"

  /// The folder's absolute path.
  public var path: String
  /// The name of a file in the folder, which only this coordinator and its workers know.
  public var mark: String

  /// Creates a description of a folder.
  public init(path: String, mark: String) {
    self.path = path
    self.mark = mark
  }

  /// Whether the text can be the name of a mark.
  public static func isMarkName(_ text: String) -> Bool {
    text.hasPrefix(markPrefix) && !text.contains("/")
  }

  /// A name for a chunk's file that nobody can guess.
  public static func newFileName() -> String {
    SecureRandom.bytes(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// Whether the text can be the name of a chunk's file.
  public static func isFileName(_ text: String) -> Bool {
    (16...64).contains(text.utf8.count) && text.utf8.allSatisfy(\.isHexadecimalDigit)
  }
}

extension UInt8 {
  fileprivate var isHexadecimalDigit: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
  }
}
