/// A request method. Any token is a method; the methods that Sheaf uses have names.
public struct Method: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The token in the request line.
  public let rawValue: String

  /// Creates a method from its token, which is case-sensitive.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The token.
  public var description: String { rawValue }

  /// Reads a resource.
  public static let get = Method(rawValue: "GET")
  /// Reads a resource's headers.
  public static let head = Method(rawValue: "HEAD")
  /// Creates a resource or performs an action.
  public static let post = Method(rawValue: "POST")
  /// Stores a resource under its path.
  public static let put = Method(rawValue: "PUT")
  /// Changes a part of a resource.
  public static let patch = Method(rawValue: "PATCH")
  /// Removes a resource.
  public static let delete = Method(rawValue: "DELETE")
  /// Asks for the supported methods.
  public static let options = Method(rawValue: "OPTIONS")
}
