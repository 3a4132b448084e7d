/// An opaque color in sRGB, with components from 0 to 255.
public struct Color: Hashable, Codable, Sendable {
  /// Red.
  public var red: UInt8
  /// Green.
  public var green: UInt8
  /// Blue.
  public var blue: UInt8

  /// Black.
  public static let black = Color(red: 0, green: 0, blue: 0)

  /// Creates a color from its components.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }
}
