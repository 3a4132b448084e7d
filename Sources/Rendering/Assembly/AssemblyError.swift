/// A failure to assemble a file, which names the segment or file that it happened on.
public struct AssemblyError: Error, Hashable, Sendable {
  /// The kind of failure, for decisions; more may be added.
  public struct Code: Hashable, Sendable {
    fileprivate enum Kind: String, Hashable, Sendable {
      case badChunk, damagedChunk, readFailed, unwritableChunk, badMix, incomplete, invalidSettings
    }
    fileprivate let kind: Kind

    /// A chunk that does not match its segment; rendering it again may help.
    public static let badChunk = Code(kind: .badChunk)
    /// A chunk that does not match its digest because it changed on the disk.
    public static let damagedChunk = Code(kind: .damagedChunk)
    /// A chunk that the system cannot read; another try may succeed.
    public static let readFailed = Code(kind: .readFailed)
    /// A chunk that the container rejects after a part of it was written, which makes the file unusable. Another chunk
    /// for the same segment may help.
    public static let unwritableChunk = Code(kind: .unwritableChunk)
    /// A mix that is not one audio stream.
    public static let badMix = Code(kind: .badMix)
    /// Chunks that are missing at the end.
    public static let incomplete = Code(kind: .incomplete)
    /// Facts from which no file can be made.
    public static let invalidSettings = Code(kind: .invalidSettings)
  }

  /// The kind of failure.
  public var code: Code
  /// The number of the faulty chunk, from 0; `nil` if no chunk is at fault.
  public var segment: Int?
  /// What failed, on which subject, and what to do.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, segment: Int? = nil, _ message: String) {
    self.code = code
    self.segment = segment
    self.message = message
  }
}

extension AssemblyError.Code: CustomStringConvertible {
  /// The code's name, e.g. `badChunk`.
  public var description: String { kind.rawValue }
}

extension AssemblyError: CustomStringConvertible {
  /// ``message``.
  public var description: String { message }
}
