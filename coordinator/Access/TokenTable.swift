import Crypto
import FarmAPI
import Synchronization

/// The tokens of a running coordinator, read from the file again whenever it has changed.
///
/// The table checks at each request whether the file has changed, so a revocation applies from the next request on.
final class TokenTable: Sendable {
  private struct State {
    var identity: TokenFile.Identity?
    var hasRead = false
    var byHash: [Digest: TokenRecord] = [:]
    var byID: [String: TokenRecord] = [:]
    var problem: StorageError?
    /// The number of times that the records have changed.
    var version = 0
  }

  private let file: TokenFile
  private let log: Log
  private let state = Mutex(State())

  init(_ file: TokenFile, log: Log) {
    self.file = file
    self.log = log
  }

  /// The record of a token if it is active.
  func record(of token: String) -> TokenRecord? {
    guard token.utf8.count <= 256 else { return nil }
    let hash = TokenRecord.hash(token)
    // The lookup uses the hash, which a caller without a token cannot choose.
    guard let record = read({ $0.byHash[hash] }), record.isActive,
      record.sha256.isEqualInConstantTime(to: hash)
    else { return nil }
    return record
  }

  func activeRecord(id: String) -> TokenRecord? {
    read { $0.byID[id] }.flatMap { $0.isActive ? $0 : nil }
  }

  /// A number that is different whenever the tokens have changed.
  var version: Int { read(\.version) }

  /// The roles of the active tokens, or `nil` if the file cannot be read.
  var activeRoles: Set<Role>? {
    read { state in
      state.problem == nil ? Set(state.byID.values.filter(\.isActive).map(\.role)) : nil
    }
  }

  /// Reads the file if it has changed, and then calls `body`. If the file cannot be read, the table is empty.
  private func read<Value>(_ body: (State) -> Value) -> Value {
    state.withLock { state in
      do throws(StorageError) {
        let identity = try file.identity()
        if !state.hasRead || identity != state.identity || state.problem != nil {
          let records = try file.records()
          state.byHash = Dictionary(records.map { ($0.sha256, $0) }) { $1 }
          state.byID = Dictionary(records.map { ($0.id, $0) }) { $1 }
          state.identity = identity
          state.hasRead = true
          state.problem = nil
          state.version += 1
        }
      } catch {
        if state.problem != error {
          log.error("\(error.message): no token is accepted")
          state.version += 1
        }
        state.problem = error
        state.byHash = [:]
        state.byID = [:]
      }
      return body(state)
    }
  }
}
