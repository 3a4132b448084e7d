/// A size in whole pixels.
public struct PixelSize: Hashable, Codable, Sendable {
  /// The number of columns.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Creates a size from its sides, in pixels.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

extension PixelSize: CustomStringConvertible {
  /// `width×height`.
  public var description: String { "\(width)×\(height)" }
}
