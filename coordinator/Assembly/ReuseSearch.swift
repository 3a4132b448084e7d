import Crypto
import Planning
import Scheduling
import Threads

/// Finds chunks of earlier jobs that a job's segments can reuse, and checks them. It computes content keys and reads
/// files outside the farm.
struct ReuseSearch: Sendable {
  let farm: Farm
  let store: ChunkStore

  /// The number of keys that are looked up in one call to the farm.
  private static let batch = 500

  /// Returns the chunks that save the job the most frames, or `nil` if there are none. All have the same fingerprint,
  /// for which there must be a chunk for every segment, or workers for the other segments. Their digests are verified.
  func chunks(of id: JobID) async throws -> ReusableChunks? {
    guard let question = try await farm.reuseQuestion(of: id), !question.segments.isEmpty else {
      return nil
    }
    let contents = try await farm.contents(of: id)
    guard question.segments.allSatisfy(contents.indices.contains) else { return nil }
    var found: [String: [Int: KeptChunk]] = [:]
    for fingerprint in question.fingerprints {
      found[fingerprint] = try await kept(
        question.segments, contents.map(\.content), fingerprint, for: id)
    }
    for reusable in question.candidates(found, frames: contents.map(\.frames)) {
      let sound = try await sound(reusable)
      if sound.suffice { return sound }
    }
    return nil
  }

  /// Returns only the undamaged chunks. Damaged ones are rendered again.
  private func sound(_ reusable: ReusableChunks) async throws -> ReusableChunks {
    try await BlockingThread.runUntilCancelled(named: "reuse") { [store] in
      var reusable = reusable
      // Identical segments have the same chunk.
      let sound = Set(reusable.chunks.values.map(\.sha256)).filter {
        (try? store.isSound($0)) == true
      }
      reusable.chunks = reusable.chunks.filter { sound.contains($0.value.sha256) }
      return reusable
    }
  }

  /// The kept chunks of segments by segment index.
  private func kept(
    _ segments: [Int], _ contents: [SegmentContent], _ fingerprint: String, for id: JobID
  ) async throws -> [Int: KeptChunk] {
    let keys = try await BlockingThread.run(named: "keys") {
      try segments.map { try contents[$0].key(fingerprint: fingerprint) }
    }
    var found: [Int: KeptChunk] = [:]
    for begin in stride(from: 0, to: keys.count, by: Self.batch) {
      let range = begin..<min(begin + Self.batch, keys.count)
      let chunks = try await farm.keptChunks(under: Array(keys[range]), for: id)
      for place in range { found[segments[place]] = chunks[keys[place]] }
    }
    return found
  }
}
