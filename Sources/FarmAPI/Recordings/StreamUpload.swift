/// How the stream of a recording is uploaded: in pieces, each of which states its offset.
public enum StreamUpload {
  /// The header with the offset of a piece; in a response, the offset of the next one.
  public static let offsetHeader = "Upload-Offset"
  /// The header that marks the last piece of the stream.
  public static let completeHeader = "Upload-Complete"
  /// The value of ``completeHeader`` for the last piece.
  public static let complete = "true"
  /// The maximum size of a piece, in bytes.
  public static let largestPiece = 1 << 20
  /// The time without a request after which the stream counts as interrupted.
  public static let patience = Duration.seconds(60)
}
