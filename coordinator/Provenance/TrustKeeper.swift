import Foundation
import Synchronization

/// Makes the farm forget the chunks of revoked tokens, and those that `sheaf-coordinator forget` named.
///
/// Other processes write the files that say so. Whatever they name is forgotten when the coordinator starts, before any job
/// goes on, and within a second while it runs. To forget twice changes nothing.
final class TrustKeeper: Sendable {
  private struct Seen: Equatable {
    var tokens: TokenFile.Identity?
    var forgotten: ForgetFile.Identity?
  }

  private struct State {
    var seen: Seen?
    var problem: String?
  }

  private let farm: Farm
  private let tokens: TokenFile
  private let forgotten: ForgetFile
  private let threads: BlockingThreads
  private let log: Log
  private let state = Mutex(State())

  init(farm: Farm, data: String, threads: BlockingThreads, log: Log) {
    self.farm = farm
    tokens = TokenFile(data: data)
    forgotten = ForgetFile(data: data)
    self.threads = threads
    self.log = log
  }

  /// Forgets what the files name, if they have changed since the last time.
  func apply() async {
    do {
      let selections = try await threads.run { try self.changes() }
      for selection in selections { try await farm.forget(selection) }
      state.withLock { $0.problem = nil }
    } catch {
      let isNew = state.withLock { state in
        state.seen = nil
        defer { state.problem = "\(error)" }
        return state.problem != "\(error)"
      }
      if isNew { log.error("chunks that are not trusted cannot be forgotten: \(error)") }
    }
  }

  /// What the files name; nothing where they have not changed.
  private func changes() throws -> [ChunkSelection] {
    let seen = Seen(tokens: try tokens.identity(), forgotten: try forgotten.identity())
    guard state.withLock({ $0.seen }) != seen else { return [] }
    let revoked = try tokens.records().filter { $0.role == .worker && !$0.isActive }
    let selections = try revoked.map { ChunkSelection(token: $0.id) } + forgotten.records()
    state.withLock { $0.seen = seen }
    return selections
  }
}
