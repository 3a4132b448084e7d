import Planning

/// Chunks of earlier jobs that a job's segments can use, all of one fingerprint.
package struct ReusableChunks: Hashable, Sendable {
  package let fingerprint: String
  /// The number of segments without a chunk.
  let lacking: Int
  /// Whether there are workers that could render the rest.
  let isServed: Bool
  /// The chunks by the segment's place in the plan.
  package var chunks: [Int: KeptChunk]

  /// Whether a job that reuses this many of them can finish.
  func suffice(_ count: Int) -> Bool { count > 0 && (isServed || count == lacking) }

  /// Whether a job that reuses all of them can finish.
  var suffice: Bool { suffice(chunks.count) }
}

/// The facts needed to find reusable chunks.
package struct ReuseQuestion: Sendable {
  /// The segments that have no chunk and are not leased.
  let segments: [Int]
  /// The number of segments without a chunk.
  let lacking: Int
  /// The fingerprints whose chunks the job may use.
  let fingerprints: [String]
  /// The fingerprints of the workers that could render the rest.
  let served: Set<String>

  package init(segments: [Int], lacking: Int, fingerprints: [String], served: Set<String>) {
    self.segments = segments
    self.lacking = lacking
    self.fingerprints = fingerprints
    self.served = served
  }

  /// The sets of chunks with which the job can finish, the one that saves the most frames first.
  ///
  /// - Parameters:
  ///   - found: the chunks that exist, by fingerprint and by the segment's place in the plan.
  ///   - frames: the frame counts of all segments of the plan.
  package func candidates(
    _ found: [String: [Int: KeptChunk]], frames: [Int]
  ) -> [ReusableChunks] {
    var candidates: [(frames: Int, reusable: ReusableChunks)] = []
    for fingerprint in fingerprints {
      let chunks = found[fingerprint] ?? [:]
      let reusable = ReusableChunks(
        fingerprint: fingerprint, lacking: lacking,
        isServed: served.isEmpty || served.contains(fingerprint), chunks: chunks)
      candidates.append((chunks.keys.reduce(0) { $0 + frames[$1] }, reusable))
    }
    return candidates.sorted { $0.frames > $1.frames }.map(\.reusable).filter(\.suffice)
  }
}
