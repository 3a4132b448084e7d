import Foundation

/// Ports of the loopback address.
public enum Ports {
  /// A port that nobody uses.
  public static func free() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, size)
        _ = getsockname(descriptor, $0, &size)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Waits until a socket is bound to a port. Datagrams to a socket that is not open yet would be lost.
  ///
  /// - Parameter table: `udp` or `tcp`.
  public static func waitUntilOpen(_ port: UInt16, in table: String) throws {
    let address = ":" + String(format: "%04X", Int(port))
    try blockUntil("port \(port) is open") {
      // Foundation reads only the first part of such a file.
      String(decoding: try Tool.run("cat", ["/proc/net/\(table)"]), as: UTF8.self)
        .split(separator: "\n").contains { line in
          let fields = line.split(separator: " ")
          // 0A is a socket that listens; others are connections, some of which have ended.
          return fields.count > 3 && fields[1].hasSuffix(address)
            && (table == "udp" || fields[3] == "0A")
        }
    }
  }
}
