/// What takes a streamed request body, piece by piece.
public protocol BodySink: AnyObject, Sendable {
  /// Takes the next piece, which is valid during the call only.
  ///
  /// Called on the server's own threads, one call at a time; it may block on the disk. An error ends the upload:
  /// ``abandon()`` follows, and the client gets the error as a response.
  func write(_ bytes: UnsafeRawBufferPointer) throws

  /// The body will not be complete: the client left, the server shuts down, or a write failed.
  ///
  /// Not called once the handler has the sink.
  func abandon()
}
