/// A request method. Any token is one; those that Sheaf speaks have names.
public struct Method: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The token as it stands in the request line.
  public let rawValue: String

  /// The method written as `rawValue`; case matters.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The token.
  public var description: String { rawValue }

  /// Read a resource.
  public static let get = Method(rawValue: "GET")
  /// Read a resource's headers.
  public static let head = Method(rawValue: "HEAD")
  /// Create or act.
  public static let post = Method(rawValue: "POST")
  /// Store under this name.
  public static let put = Method(rawValue: "PUT")
  /// Change in part.
  public static let patch = Method(rawValue: "PATCH")
  /// Remove.
  public static let delete = Method(rawValue: "DELETE")
  /// Ask what is possible.
  public static let options = Method(rawValue: "OPTIONS")
}
