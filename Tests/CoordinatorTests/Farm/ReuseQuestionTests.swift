import CoordinatorSupport
import Crypto
import Foundation
import Support
import Testing
import sheaf_coordinator

/// Which of the kept chunks a job uses.
@Suite(.mayBlock) struct ReuseQuestionTests {
  private func chunk(_ fingerprint: String, _ segment: Int) -> KeptChunk {
    let digest = Digest.of(Data("\(fingerprint)\(segment)".utf8))
    return KeptChunk(key: digest, fingerprint: fingerprint, sha256: digest, byteCount: 1)
  }

  /// The fingerprints of the candidates for a job with three segments of 10, 20 and 30 frames.
  ///
  /// - Parameter found: the segments that have chunks, by fingerprint.
  private func candidates(
    _ found: [String: [Int]], served: Set<String> = []
  ) -> [String] {
    let question = ReuseQuestion(
      segments: [0, 1, 2], lacking: 3, fingerprints: found.keys.sorted(), served: served)
    let chunks = found.reduce(into: [String: [Int: KeptChunk]]()) { chunks, entry in
      for segment in entry.value {
        chunks[entry.key, default: [:]][segment] = chunk(entry.key, segment)
      }
    }
    return question.candidates(chunks, frames: [10, 20, 30]).map(\.fingerprint)
  }

  @Test func `the chunks that save the most frames come first`() {
    #expect(candidates(["a": [0, 1], "b": [2, 1], "c": [0]]) == ["b", "a", "c"])
  }

  @Test func `a fingerprint without chunks is not a candidate`() {
    #expect(candidates(["a": [], "b": [0]]) == ["b"])
  }

  @Test func `chunks of a fingerprint that no worker has must be complete`() {
    #expect(candidates(["a": [1, 2], "b": [0]], served: ["b"]) == ["b"])
    #expect(candidates(["a": [0, 1, 2], "b": [0]], served: ["b"]) == ["a", "b"])
  }
}
