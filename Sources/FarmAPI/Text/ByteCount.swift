import Foundation

/// A number of bytes, formatted for people.
public struct ByteCount: Hashable, Sendable, CustomStringConvertible {
  private let count: Int64

  /// Creates a number of bytes.
  public init(_ count: Int64) { self.count = count }

  /// Creates a number of bytes.
  public init(_ count: Int) { self.count = Int64(count) }

  /// The number in the largest binary unit that leaves it at 1 or more, e.g. `1.5 MiB`.
  public var description: String {
    let units = ["KiB", "MiB", "GiB", "TiB"]
    guard count >= 1024 else { return "\(count) B" }
    var value = Double(count) / 1024
    var unit = 0
    while value >= 1024, unit + 1 < units.count {
      value /= 1024
      unit += 1
    }
    return String(format: "%.1f ", value) + units[unit]
  }
}
