import FarmAPI

/// The result of appending a chunk to a file.
///
/// A media process sends only messages, so that it cannot choose a failure's code.
package enum ChunkOutcome: Hashable, Codable, Sendable {
  /// The chunk is in the file.
  case appended(isFull: Bool)
  /// The chunk is not what its segment requires. The file is unchanged.
  case bad(String)
  /// The chunk does not match its digest. The file is unchanged.
  case damaged(String)
  /// The system cannot read the chunk. The file is unchanged.
  case unreadable(String)
  /// The muxer rejected the chunk after it had written a part of it. The file is useless.
  case unwritable(String)

  /// The failure; `nil` if the chunk was appended.
  package var failure: JobFailure? {
    switch self {
    case .appended: nil
    case .bad(let message): JobFailure(code: .badChunk, message: message).shortened
    case .damaged(let message): JobFailure(code: .damagedChunk, message: message).shortened
    case .unreadable(let message): JobFailure(code: .readFailed, message: message).shortened
    case .unwritable(let message): JobFailure(code: .unwritableChunk, message: message).shortened
    }
  }
}
