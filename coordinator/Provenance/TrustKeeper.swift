import Foundation
import Synchronization

/// Makes the farm forget the chunks of revoked tokens, and those that `sheaf-coordinator forget` named.
///
/// Other processes write the files that name them. The chunks are forgotten before any job continues when the
/// coordinator starts, and within a second while it runs. Forgetting a chunk twice changes nothing.
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

  /// Forgets the chunks that the files name, if the files have changed since the last call.
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
      if isNew { log.error("untrusted chunks cannot be dropped: \(error)") }
    }
  }

  /// The selections in files that have changed.
  private func changes() throws -> [ChunkSelection] {
    let seen = Seen(tokens: try tokens.identity(), forgotten: try forgotten.identity())
    guard state.withLock({ $0.seen }) != seen else { return [] }
    let revoked = try tokens.records().filter { $0.role == .worker && !$0.isActive }
    let selections = try revoked.map { ChunkSelection(token: $0.id) } + forgotten.records()
    state.withLock { $0.seen = seen }
    return selections
  }
}
