extension FrameTable: Codable {
  private enum CodingKeys: String, CodingKey { case start, runs, end, keyframes, keyframeColumns }

  /// The maximum number of keyframes to encode individually. Segments of a plan have fewer, so their encoding is
  /// stable.
  private static let mostListed = 10_000

  /// Encodes the times as a start and runs of equal steps, `[step, count, step, count, …]`. Large numbers of keyframes,
  /// as in a long recording of only keyframes, are encoded in columns.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    let (start, runs) = times.stepRuns
    try container.encodeIfPresent(start, forKey: .start)
    try container.encode(runs, forKey: .runs)
    try container.encode(end, forKey: .end)
    if keyframes.count > Self.mostListed {
      try container.encode(KeyframeColumns(keyframes), forKey: .keyframeColumns)
    } else {
      try container.encode(keyframes, forKey: .keyframes)
    }
  }

  /// Decodes a table. Steps and counts must be positive, times must not overflow, and a ``FrameBudget`` is respected.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let runs = try container.decode([Int64].self, forKey: .runs)
    var times: [Int64] = []
    if let start = try container.decodeIfPresent(Int64.self, forKey: .start) { times.append(start) }
    guard runs.count.isMultiple(of: 2), !times.isEmpty || runs.isEmpty else {
      throw DecodingError.dataCorruptedError(
        forKey: .runs, in: container,
        debugDescription: "the steps and counts of the frame times are not paired")
    }
    guard FrameBudget.of(decoder)?.take(times.count, and: runs) != false else {
      throw FrameBudget.Exceeded()
    }
    for pair in stride(from: 0, to: runs.count, by: 2) {
      let (step, count) = (runs[pair], runs[pair + 1])
      guard step > 0, count > 0, count < 1 << 32 else {
        throw DecodingError.dataCorruptedError(
          forKey: .runs, in: container, debugDescription: "frame times do not increase")
      }
      for _ in 0..<count {
        let (next, overflow) = times[times.count - 1].addingReportingOverflow(step)
        guard !overflow else {
          throw DecodingError.dataCorruptedError(
            forKey: .runs, in: container, debugDescription: "frame times overflow 64 bits")
        }
        times.append(next)
      }
    }
    self.init(
      times: times,
      end: try container.decode(Int64.self, forKey: .end),
      keyframes: try Self.keyframes(in: container))
  }

  private static func keyframes(
    in container: KeyedDecodingContainer<CodingKeys>
  ) throws -> [Keyframe] {
    guard container.contains(.keyframeColumns) else {
      return try container.decode([Keyframe].self, forKey: .keyframes)
    }
    let columns = try container.decode(KeyframeColumns.self, forKey: .keyframeColumns)
    guard let keyframes = columns.keyframes() else {
      throw DecodingError.dataCorruptedError(
        forKey: .keyframeColumns, in: container,
        debugDescription: "the keyframe columns have different lengths")
    }
    return keyframes
  }
}
