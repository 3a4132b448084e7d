/// The transform `x' = a·x + c·y + tx`, `y' = b·x + d·y + ty`, in pixels, origin top-left, y down.
public struct AffineTransform: Hashable, Sendable {
  /// The factor from x to x'.
  public var a: Double
  /// The factor from x to y'.
  public var b: Double
  /// The factor from y to x'.
  public var c: Double
  /// The factor from y to y'.
  public var d: Double
  /// The shift to the right, in pixels.
  public var tx: Double
  /// The shift downwards, in pixels.
  public var ty: Double

  /// The transform that changes nothing.
  public static let identity = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

  /// Creates a transform from its six numbers.
  public init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
    (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
  }

  /// The numbers in the order of the project file.
  public var numbers: [Double] { [a, b, c, d, tx, ty] }

  /// The limit on each number of a transform that is rendered. Beyond it, fractions of a pixel are lost.
  package static let largest = 1e9

  /// Whether pictures can be rendered with the transform.
  package var isWithinReach: Bool {
    numbers.allSatisfy { $0.isFinite && abs($0) < Self.largest }
  }

  /// The transform that applies `self` first and then `next`.
  public func concatenating(_ next: AffineTransform) -> AffineTransform {
    AffineTransform(
      a: a * next.a + b * next.c, b: a * next.b + b * next.d,
      c: c * next.a + d * next.c, d: c * next.b + d * next.d,
      tx: tx * next.a + ty * next.c + next.tx, ty: tx * next.b + ty * next.d + next.ty)
  }
}

extension AffineTransform: Interpolatable {
  /// Interpolates each of the six numbers linearly, as AVFoundation does.
  public func interpolated(to end: AffineTransform, fraction: Double) -> AffineTransform {
    AffineTransform(
      a: a.interpolated(to: end.a, fraction: fraction),
      b: b.interpolated(to: end.b, fraction: fraction),
      c: c.interpolated(to: end.c, fraction: fraction),
      d: d.interpolated(to: end.d, fraction: fraction),
      tx: tx.interpolated(to: end.tx, fraction: fraction),
      ty: ty.interpolated(to: end.ty, fraction: fraction))
  }
}

extension AffineTransform: Codable {
  /// Encodes `[a, b, c, d, tx, ty]`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for number in numbers { try container.encode(number) }
  }

  /// Decodes exactly six numbers.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let numbers = try container.decode([Double].self)
    guard numbers.count == 6 else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a transform is six numbers: [a, b, c, d, tx, ty]")
    }
    self.init(
      a: numbers[0], b: numbers[1], c: numbers[2], d: numbers[3], tx: numbers[4], ty: numbers[5])
  }
}
