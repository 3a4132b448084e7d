import Foundation
import Support

/// A port of the loopback address that answers no further attempts to connect, as a host that has lost its power.
final class FullPort {
  private let socket: SilentPort
  private let connections: [RawConnection]
  /// The port.
  var number: UInt16 { socket.number }

  /// Listens without accepting, and opens connections until the system queues no more.
  init() throws {
    socket = try SilentPort()
    try socket.startListening(backlog: 0)
    connections = [try RawConnection(port: socket.number)]
  }
}
