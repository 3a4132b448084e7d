import FarmAPI
import Foundation
import Synchronization

/// Makes the farm forget the chunks of revoked tokens, and those that `sheaf-coordinator forget` named.
///
/// Other processes write the files that name these chunks. When the coordinator starts, it forgets them before any job
/// continues. While it runs, it forgets them within a second. Each selection is applied once, unless its end is in the
/// future: then it is applied again until its end has passed.
final class TrustKeeper: Sendable {
  private struct Seen: Equatable {
    var tokens: TokenFile.Identity?
    var forgotten: ForgetFile.Identity?
  }

  private struct State {
    var seen: Seen?
    /// The selections in the files that must be applied, possibly again.
    var pending: [ChunkSelection] = []
    /// The selections that need not be applied again.
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

  /// Forgets the chunks that the files name and that have not been forgotten.
  func apply() async {
    do {
      for selection in try await threads.run({ try self.pending() }) {
        let start = Date()
        try await farm.forget(selection)
        // A selection without an end is for a revoked token, which delivers no more chunks.
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
      if isNew { log.error("cannot drop untrusted chunks: \(error)") }
    }
  }

  /// The selections to apply now.
  private func pending() throws -> [ChunkSelection] {
    let seen = Seen(tokens: try tokens.identity(), forgotten: try forgotten.identity())
    if state.withLock({ $0.seen }) != seen {
      let revoked = try tokens.records().filter {
        $0.role == .worker && !$0.isActive && $0.keepsChunks != true
      }
      let selections = try revoked.map { ChunkSelection(token: $0.id) } + forgotten.records()
      state.withLock { state in
        state.seen = seen
        state.pending = selections.filter { !state.applied.contains($0) }
      }
    }
    return state.withLock { $0.pending }
  }
}
