import Crypto
import FarmAPI
import Foundation

/// A position in a pass of the search for damage. It is saved in a file, so that the pass continues after a restart.
struct ScrubPosition: Hashable, Codable, Sendable, Comparable {
  /// The kind of the file that was read last.
  let kind: ScrubKind
  /// The file's name among those of its kind.
  let name: String

  static func < (a: ScrubPosition, b: ScrubPosition) -> Bool {
    (a.rank, a.name) < (b.rank, b.name)
  }

  private var rank: Int { ScrubKind.allCases.firstIndex(of: kind) ?? 0 }

  /// Reads the saved position of a data directory; `nil` if the next pass begins with the first file. Blocks.
  init?(in directory: DataDirectory) {
    guard let data = FileManager.default.contents(atPath: directory.scrubPosition),
      let position = try? FarmCoding.decode(Self.self, from: data)
    else { return nil }
    self = position
  }

  init(kind: ScrubKind, name: String) {
    self.kind = kind
    self.name = name
  }

  /// Saves the position. Blocks.
  func keep(in directory: DataDirectory) throws {
    try StagedFile.write(
      FarmCoding.encode(self), to: directory.scrubPosition,
      temporary: "\(directory.uploads)/scrub-\(SecureRandom.token(bytes: 12))")
  }
}
