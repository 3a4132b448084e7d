import Foundation

extension RawConnection {
  /// Whether a server on this host has a connection at a port of the loopback address, and has not closed its side.
  ///
  /// A client that does not read never learns that the server has closed the connection.
  public static func isOpen(toServerAt port: UInt16) throws -> Bool {
    // The fields of each socket start with its number, local address, remote address and state (01: both sides are open).
    let address = "0100007F:" + String(format: "%04X", Int(port))
    return try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).split(separator: "\n")
      .contains { line in
        let fields = line.split(separator: " ")
        return fields.count > 3 && fields[1] == address && fields[3] == "01"
      }
  }
}
