import Glibc

/// The reason why a process could not be confined. The process must then end.
public struct SandboxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A description of the failure.
  public let problem: String
  /// The suggested remedy.
  public let remedy: String
  /// The system's error number, or 0 if there is none.
  public let number: Int32

  init(_ problem: String, remedy: String, number: Int32 = 0) {
    self.problem = problem
    self.remedy = remedy
    self.number = number
  }

  /// One line: what failed, what to do, and why.
  public var description: String {
    let cause = number == 0 ? "" : " (\(String(cString: strerror(number))))"
    return "cannot confine the process: \(problem): \(remedy)\(cause)"
  }
}
