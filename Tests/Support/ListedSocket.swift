import Foundation

/// A TCP socket of any process at a local port of the loopback address.
struct ListedSocket {
  /// Whether both sides of its connection are open.
  let isConnected: Bool
  /// Whether it accepts connections.
  let isListening: Bool
  /// The number that the links in `/proc/PID/fd` show.
  let inode: String

  /// The sockets at a port, from the kernel's table.
  static func all(at port: UInt16) throws -> [ListedSocket] {
    // Foundation reads only the first page of such a file, whose size is stated as 0.
    let file = open("/proc/net/tcp", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw RawConnection.Failure(call: "open", number: errno) }
    defer { close(file) }
    var table = Data()
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(file, &buffer, buffer.count)
      guard count >= 0 else { throw RawConnection.Failure(call: "read", number: errno) }
      guard count > 0 else { break }
      table += buffer[..<count]
    }
    // The fields of each socket start with its number, local address, remote address and state: 01 for a connection of
    // which both sides are open, 0A for a socket that listens. The tenth field is its inode.
    let address = "0100007F:" + String(format: "%04X", Int(port))
    return String(decoding: table, as: UTF8.self).split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count > 9, fields[1] == address else { return nil }
      return ListedSocket(
        isConnected: fields[3] == "01", isListening: fields[3] == "0A", inode: String(fields[9]))
    }
  }
}
