import Foundation
import Synchronization

/// Makes the farm forget the chunks of revoked tokens, and those that `sheaf-coordinator forget` named.
///
/// Other processes write the files that name them. The chunks are forgotten before any job continues when the
/// coordinator starts, and within a second while it runs. Each selection is applied once, unless it ends in the future:
/// then it is applied again until its end has passed.
final class TrustKeeper: Sendable {
  private struct Seen: Equatable {
    var tokens: TokenFile.Identity?
    var forgotten: ForgetFile.Identity?
  }

  private struct State {
    var seen: Seen?
    /// Those that the files name and that are to be applied, perhaps again.
    var pending: [ChunkSelection] = []
    /// Those that need not be applied again.
    var applied: Set<ChunkSelection> = []
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

  /// Forgets the chunks that the files name and that are not forgotten yet.
  func apply() async {
    do {
      for selection in try await threads.run({ try self.pending() }) {
        let start = Date()
        try await farm.forget(selection)
        // A token that is revoked delivers nothing any more.
        guard selection.until.map({ $0 < start }) ?? true else { continue }
        state.withLock { state in
          state.applied.insert(selection)
          state.pending.removeAll { $0 == selection }
        }
      }
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

  /// The selections to apply now.
  private func pending() throws -> [ChunkSelection] {
    let seen = Seen(tokens: try tokens.identity(), forgotten: try forgotten.identity())
    if state.withLock({ $0.seen }) != seen {
      let revoked = try tokens.records().filter { $0.role == .worker && !$0.isActive }
      let selections = try revoked.map { ChunkSelection(token: $0.id) } + forgotten.records()
      state.withLock { state in
        state.seen = seen
        state.pending = selections.filter { !state.applied.contains($0) }
      }
    }
    return state.withLock { $0.pending }
  }
}
