import Foundation
import Synchronization

/// Ports of the loopback address.
public enum Ports {
  /// The ports that tests bind later. The system gives ports above them to connections and to whoever asks for any port.
  private static let range: Range<UInt16> = 10_000..<32_000
  private static let next = Mutex(range.lowerBound + UInt16(getpid() % 200) * 100)

  /// A port that nobody uses, and that nobody else gets.
  public static func free() throws -> UInt16 {
    for _ in range {
      let port = next.withLock { next in
        defer { next = next + 1 < range.upperBound ? next + 1 : range.lowerBound }
        return next
      }
      if [SOCK_STREAM, SOCK_DGRAM].allSatisfy({ isFree(port, for: $0) }) { return port }
    }
    throw POSIXError(.EADDRINUSE)
  }

  private static func isFree(_ port: UInt16, for kind: __socket_type) -> Bool {
    let descriptor = socket(AF_INET, Int32(kind.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
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
