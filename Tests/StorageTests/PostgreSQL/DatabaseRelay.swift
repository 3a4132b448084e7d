import Foundation
import Support
import Synchronization

/// A relay to a database server that counts how often clients wait, and can break connections at a commit.
final class DatabaseRelay: Sendable {
  /// A way to break the connection at a commit.
  enum Cut: CaseIterable {
    /// The server commits, but its answer is lost.
    case answerLost
    /// The commit does not reach the server.
    case swallowed
  }

  private struct State {
    var cut: Cut?
    /// No connection is accepted before this time.
    var downUntil = ContinuousClock.now
    var downtime = Duration.zero
    /// The number of waits of each connection.
    var waits: [Int] = []
  }

  private let relay: ScriptedServer
  private let state: SharedState

  private final class SharedState: Sendable {
    let value = Mutex(State())
  }

  /// The message with the statement `COMMIT`, which has no name and no parameters.
  private static let commit =
    [UInt8(ascii: "P"), 0, 0, 0, 14, 0] + Array("COMMIT\0".utf8) + [0, 0]
  /// The message after which the client waits for the server.
  private static let wait = [UInt8(ascii: "S"), 0, 0, 0, 4]

  init(to server: PostgreSQLServer) throws {
    let state = SharedState()
    self.state = state
    let path = "\(server.folder)/.s.PGSQL.5432"
    relay = try ScriptedServer { client in
      guard state.value.withLock({ $0.downUntil < .now }),
        let upstream = try? ScriptedConnection(toSocket: path)
      else { return }
      let number = state.value.withLock { state in
        state.waits.append(0)
        return state.waits.count - 1
      }
      Thread.detachNewThread {
        // The server would end before the commit if it could not answer the statements before it.
        while true {
          let bytes = upstream.receive()
          guard !bytes.isEmpty else { break }
          client.send(bytes)
        }
        client.breakOff()
      }
      while true {
        let bytes = client.receive()
        guard !bytes.isEmpty else { break }
        let waits = bytes.ranges(of: Self.wait).count
        state.value.withLock { $0.waits[number] += waits }
        if bytes.contains(Self.commit), let cut = Self.take(state) {
          // The client's end closes first, so that the answer cannot reach it.
          client.breakOff()
          if cut == .answerLost { upstream.send(bytes) }
          break
        }
        guard upstream.send(bytes) else { break }
      }
      // The server reads what was sent before it notices the end.
      upstream.endSending()
    }
  }

  private static func take(_ state: SharedState) -> Cut? {
    state.value.withLock { state in
      defer { state.cut = nil }
      if state.cut != nil { state.downUntil = .now + state.downtime }
      return state.cut
    }
  }

  deinit { relay.close() }

  /// The URL of a database through the relay.
  func url(of database: String) -> String {
    "postgresql://sheaf@127.0.0.1:\(relay.port)/\(database)"
  }

  /// How often the client of the first connection has waited for the server.
  var waits: Int { state.value.withLock { $0.waits.first ?? 0 } }

  /// Breaks the connection at the next commit, and then accepts none for some time.
  func cutNextCommit(_ cut: Cut, downFor downtime: Duration = .zero) {
    state.value.withLock { ($0.cut, $0.downtime) = (cut, downtime) }
  }
}
