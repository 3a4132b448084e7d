/// Bytes that an upload does not take.
struct UploadError: Error, Hashable, CustomStringConvertible {
  /// The kind of problem.
  struct Code: Hashable, Sendable {
    private enum Kind { case inProgress, offset, tooLarge, invalidChunk }
    private let kind: Kind
    /// Another request is uploading the asset.
    static let inProgress = Code(kind: .inProgress)
    /// The upload must continue at another offset.
    static let offset = Code(kind: .offset)
    /// There are more bytes than were announced.
    static let tooLarge = Code(kind: .tooLarge)
    /// The chunk is not what the lease asked for.
    static let invalidChunk = Code(kind: .invalidChunk)
  }

  let code: Code
  /// The problem and the remedy.
  let message: String
  /// The number of bytes that have arrived, if the client needs it to continue.
  var offset: Int64?

  var description: String { message }
}

extension UploadError {
  /// Another request is uploading the asset. The offset is the number of bytes that have arrived so far.
  static func inProgress(_ offset: Int64) -> UploadError {
    UploadError(
      code: .inProgress,
      message:
        "another request is uploading the asset: \(offset) bytes have arrived: try again soon",
      offset: offset)
  }

  /// The upload must continue at another offset.
  static func offset(_ offset: Int64) -> UploadError {
    UploadError(
      code: .offset, message: "the coordinator has \(offset) bytes: continue at that offset",
      offset: offset)
  }
}
