import Foundation
import Synchronization

/// A TCP relay to a port of this host that counts the bytes from clients. It does not change them, so TLS works through
/// it.
public final class CountingRelay: Sendable {
  private final class Counter: Sendable {
    let bytes = Mutex(0)
    /// The number of bytes after which a connection is held; `nil` for never, and once one is held.
    let limit: Mutex<Int?>
    let isReleased = DispatchSemaphore(value: 0)

    init(limit: Int?) { self.limit = Mutex(limit) }

    /// Counts bytes. Returns whether their connection is to be held.
    func note(_ count: Int) -> Bool {
      let sum = bytes.withLock { bytes in
        bytes += count
        return bytes
      }
      return limit.withLock { limit in
        guard let number = limit, sum >= number else { return false }
        limit = nil
        return true
      }
    }
  }

  private let server: ScriptedServer
  private let counter: Counter

  /// Starts a relay to a port of the loopback address.
  ///
  /// - Parameter limit: after so many bytes in total, the connection that sends them is held until ``breakOff()``.
  public init(to port: UInt16, holdingAfter limit: Int? = nil) throws {
    let counter = Counter(limit: limit)
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
        let isHeld = counter.note(bytes.count)
        guard upstream.send(bytes) else { break }
        if isHeld {
          counter.isReleased.wait()
          break
        }
      }
      upstream.breakOff()
      // The client's connection closes when this returns.
      answered.wait()
    }
  }

  deinit { server.close() }

  /// The port on which it listens.
  public var port: UInt16 { server.port }

  /// Breaks off the connection that is held, or the next one that would be.
  public func breakOff() { counter.isReleased.signal() }

  /// The number of bytes that clients have sent through it.
  public var byteCount: Int { counter.bytes.withLock { $0 } }
}
