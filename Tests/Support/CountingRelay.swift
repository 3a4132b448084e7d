import Foundation
import Synchronization

/// A TCP relay to a port of this host that counts the bytes from clients. It changes nothing, so TLS works through it.
public final class CountingRelay: Sendable {
  private final class Counter: Sendable {
    let bytes = Mutex(0)
  }

  private let server: ScriptedServer
  private let counter: Counter

  /// Starts a relay to a port of the loopback address.
  public init(to port: UInt16) throws {
    let counter = Counter()
    self.counter = counter
    server = try ScriptedServer { client in
      guard let upstream = try? ScriptedConnection(to: port) else { return }
      let answered = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        while true {
          let bytes = upstream.receive()
          guard !bytes.isEmpty, client.send(bytes) else { break }
        }
        client.breakOff()
        answered.signal()
      }
      while true {
        let bytes = client.receive()
        guard !bytes.isEmpty else { break }
        counter.bytes.withLock { $0 += bytes.count }
        guard upstream.send(bytes) else { break }
      }
      upstream.breakOff()
      // The client's connection closes when this returns.
      answered.wait()
    }
  }

  deinit { server.close() }

  /// The port on which it listens.
  public var port: UInt16 { server.port }

  /// The number of bytes that clients have sent through it.
  public var byteCount: Int { counter.bytes.withLock { $0 } }
}
