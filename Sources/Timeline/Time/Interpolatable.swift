/// A value that can be interpolated linearly.
public protocol Interpolatable: Hashable, Codable, Sendable {
  /// The value `fraction` of the way to `end`. Fractions below 0 and above 1 extrapolate.
  func interpolated(to end: Self, fraction: Double) -> Self
}

extension Double: Interpolatable {
  /// `self + (end - self) × fraction`.
  public func interpolated(to end: Double, fraction: Double) -> Double {
    self + (end - self) * fraction
  }
}
