import Foundation

/// Damage to files, as a disk may cause it.
public enum FileDamage {
  /// Flips the lowest bit of a byte in a file; of the middle byte by default.
  public static func flipBit(of path: String, at place: Int? = nil) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    defer { try? file.close() }
    let place = try place.map { UInt64($0) } ?? file.seekToEnd() / 2
    try file.seek(toOffset: place)
    guard let byte = try file.read(upToCount: 1)?.first else {
      throw CocoaError(.fileReadCorruptFile)
    }
    try file.seek(toOffset: place)
    try file.write(contentsOf: [byte ^ 1])
  }
}
