/// Receives a streamed body in pieces: the body of a request on a server, or of a response on a client.
public protocol BodySink: AnyObject, Sendable {
  /// Receives the next piece, which is valid only during the call.
  ///
  /// Called on the threads of the server or client, one call at a time. It may block on the disk. An error ends the
  /// exchange: ``abandon()`` is called, and then a server sends the error as a response, and a client throws it.
  func write(_ bytes: UnsafeRawBufferPointer) throws

  /// Reports that the body will not be complete, because the peer disconnected, the server or client was shut down, or
  /// a write failed.
  ///
  /// Not called after a server's handler has received the sink, or a client's transfer is complete.
  func abandon()
}
