import FarmAPI

/// Tests write codes as they are on the wire.
extension FailureCode: ExpressibleByStringLiteral {
  /// Creates a code from its name on the wire.
  public init(stringLiteral value: String) { self.init(rawValue: value) }
}
