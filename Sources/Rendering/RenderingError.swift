/// A failure to composite, render or mix, which names the segment, layer or asset that it happened on.
public struct RenderingError: Error, Hashable, Sendable {
  /// The kind of failure, for decisions; more may be added.
  public struct Code: Hashable, Sendable {
    fileprivate enum Kind: String, Hashable, Sendable {
      case invalidDescription = "invalid-description"
      case stopped = "stopped"
      case tooManyConcealments = "too-many-concealments"
    }
    fileprivate let kind: Kind

    /// The name on the wire, such as `invalid-description`. It never changes, even if the case is renamed.
    public var wireName: String { kind.rawValue }

    /// A description that contradicts itself; a retry cannot help.
    public static let invalidDescription = Code(kind: .invalidDescription)
    /// The caller asked to stop.
    public static let stopped = Code(kind: .stopped)
    /// More separate parts of damaged media than a job can list.
    public static let tooManyConcealments = Code(kind: .tooManyConcealments)
  }

  /// The kind of failure.
  public var code: Code
  /// The problem, its subject and the remedy.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension RenderingError: CustomStringConvertible {
  /// ``message``.
  public var description: String { message }
}
