/// A failure to assemble a file, which names the segment or file that it happened on.
public struct AssemblyError: Error, Hashable, Sendable {
  /// The kind of failure, for decisions; more may be added.
  public struct Code: Hashable, Sendable {
    fileprivate enum Kind: String, Hashable, Sendable {
      case badChunk = "bad-chunk"
      case damagedChunk = "damaged-chunk"
      case readFailed = "read-failed"
      case unwritableChunk = "unwritable-chunk"
      case badMix = "bad-mix"
      case incomplete = "incomplete"
      case invalidSettings = "invalid-settings"
    }
    fileprivate let kind: Kind

    /// The name on the wire, such as `bad-mix`. It never changes, even if the case is renamed.
    public var wireName: String { kind.rawValue }

    /// A chunk that does not match its segment; rendering it again may help.
    public static let badChunk = Code(kind: .badChunk)
    /// A chunk that does not match its digest because it changed on the disk.
    public static let damagedChunk = Code(kind: .damagedChunk)
    /// A chunk that the system cannot read; another try may succeed.
    public static let readFailed = Code(kind: .readFailed)
    /// A chunk that the container rejects after a part of it was written, which makes the file unusable. Another chunk
    /// for the same segment may help.
    public static let unwritableChunk = Code(kind: .unwritableChunk)
    /// A mix that is not a single audio stream, or has an invalid part.
    public static let badMix = Code(kind: .badMix)
    /// Chunks or sound that are missing.
    public static let incomplete = Code(kind: .incomplete)
    /// Facts from which no file can be made.
    public static let invalidSettings = Code(kind: .invalidSettings)
  }

  /// The kind of failure.
  public var code: Code
  /// The number of the faulty chunk, from 0; `nil` if no chunk is at fault.
  public var segment: Int?
  /// The problem, its subject and the remedy.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, segment: Int? = nil, _ message: String) {
    self.code = code
    self.segment = segment
    self.message = message
  }
}

extension AssemblyError: CustomStringConvertible {
  /// ``message``.
  public var description: String { message }
}
