import Foundation
import Synchronization

/// Remembers what a store said about objects, so that it is not asked again each time.
final class KnownObjects: Sendable {
  private struct Entry {
    var facts: ObjectFacts
    let learnedAt: ContinuousClock.Instant
  }

  private struct State {
    var entries: [StoredObject: Entry] = [:]
    /// The chunks that were found in a list, or that this coordinator stored, with their lengths.
    var chunks: [StoredObject: Int64] = [:]
    /// The number of times that an object was forgotten.
    var generation = 0
    /// The times of uses by this coordinator.
    var uses: [StoredObject: Date] = [:]
  }

  private let state = Mutex(State())
  private static let mostEntries = 20_000
  private static let mostChunks = 1_000_000
  private static let mostUses = 100_000
  /// How long facts count.
  private static let validity = Duration.seconds(60)

  /// The facts about an object if they are recent.
  func recent(of object: StoredObject) -> ObjectFacts? {
    state.withLock { state in
      guard let entry = state.entries[object], .now - entry.learnedAt < Self.validity else {
        return nil
      }
      return entry.facts
    }
  }

  /// The last known facts about an object, however old they are.
  func last(of object: StoredObject) -> ObjectFacts? {
    state.withLock { $0.entries[object]?.facts }
  }

  /// The length of a chunk in bytes; `nil` if it is not known to exist.
  func byteCount(ofChunk object: StoredObject) -> Int64? { state.withLock { $0.chunks[object] } }

  /// The time of the last use by this coordinator.
  func use(of object: StoredObject) -> Date? { state.withLock { $0.uses[object] } }

  /// Notes that an object is used now.
  func noteUse(of object: StoredObject, at date: Date) {
    state.withLock { state in
      if state.uses.count >= Self.mostUses {
        // These were also noted in the store.
        state.uses = state.uses.filter { $0.value > date - 3600 }
      }
      state.uses[object] = date
      state.entries[object]?.facts.date = date
    }
  }

  /// Notes the facts about an object that exists.
  func note(_ facts: ObjectFacts, of object: StoredObject) {
    state.withLock { state in
      if state.entries.count >= Self.mostEntries { state.entries = [:] }
      state.entries[object] = Entry(facts: facts, learnedAt: .now)
      if object.kind == .chunk { Self.note(facts.byteCount, of: object, &state) }
    }
  }

  /// Forgets everything about an object.
  func forget(_ object: StoredObject) {
    state.withLock { state in
      state.entries[object] = nil
      state.chunks[object] = nil
      state.generation += 1
    }
  }

  /// Changes when an object is forgotten.
  var generation: Int { state.withLock(\.generation) }

  /// Notes a chunk that was listed, unless an object was forgotten since, which may be this one.
  func note(_ byteCount: Int64, ofChunk object: StoredObject, listedAt generation: Int) {
    state.withLock { state in
      guard state.generation == generation else { return }
      Self.note(byteCount, of: object, &state)
    }
  }

  private static func note(_ byteCount: Int64, of object: StoredObject, _ state: inout State) {
    if state.chunks.count >= mostChunks, state.chunks[object] == nil { state.chunks = [:] }
    state.chunks[object] = byteCount
  }
}
