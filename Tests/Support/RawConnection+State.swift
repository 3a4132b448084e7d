extension RawConnection {
  /// Whether a server on this host has a connection at a port of the loopback address, and has not closed its side.
  ///
  /// A client that does not read never learns that the server has closed the connection.
  public static func isOpen(toServerAt port: UInt16) throws -> Bool {
    try ListedSocket.all(at: port).contains(where: \.isConnected)
  }
}
