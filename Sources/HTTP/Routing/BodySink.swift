/// Receives a streamed body piece by piece: that of a request on a server, or of a response on a client.
public protocol BodySink: AnyObject, Sendable {
  /// Takes the next piece, which is valid during the call only.
  ///
  /// Called on the server's or client's own threads, one call at a time; it may block on the disk. An error ends the
  /// exchange: ``abandon()`` follows; a server's client gets the error as a response, a client's caller as it is.
  func write(_ bytes: UnsafeRawBufferPointer) throws

  /// The body will not be complete: the peer left, the server or the client is shut down, or a write failed.
  ///
  /// Not called once a server's handler has the sink, or a client's transfer is complete.
  func abandon()
}
