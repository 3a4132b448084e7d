import Foundation

/// The error for a process that could not be started.
public struct ProcessError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A description of the failure.
  public let message: String

  /// A description of the failure.
  public var description: String { message }

  /// Creates an error from the operation that failed and the system's error number.
  public init(_ problem: String, _ number: Int32) {
    message = "\(problem): \(String(cString: strerror(number)))"
  }

  /// Creates the error for a program whose file does not exist.
  public init(notFound program: String) {
    message = "cannot find the program \(program): install it"
  }
}
