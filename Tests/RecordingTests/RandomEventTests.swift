import Recording
import Support
import Testing
import Timeline

/// A million random events against the rules that must always hold.
@Suite(.mayBlock) struct RandomEventTests {
  private static let steps: [WriterStatus: Set<WriterStatus>] = [
    .idle: [.preparing, .failed, .cancelled],
    .preparing: [.recording, .finishing, .failed, .cancelled],
    .recording: [.finishing, .failed, .cancelled],
    .finishing: [.finished, .failed, .cancelled],
    .finished: [], .failed: [], .cancelled: [],
  ]

  /// A record of a writer's answers, from which the test predicts a correct writer's state.
  private struct Observer {
    var lastKept: [Int: RationalTime] = [:]
    var hasVideo = false
    var keptVideo = false
    var dropped = 0
  }

  @Test func `a writer survives a million random events`() throws {
    var random = SeededRandom(seed: 16)
    var events = 0
    var (kept, illegal, finished) = (0, 0, 0)
    while events < 1_000_000 {
      var writer = WriterMachine()
      var observer = Observer()
      for _ in 0..<Int.random(in: 1...200, using: &random) {
        let before = writer
        events += 1
        do {
          if try apply(&writer, &observer, &random) { kept += 1 }
        } catch let error as RecordingError {
          illegal += 1
          try #require(writer == before, "a call that throws changes nothing: \(error)")
          if error.code == .illegalCall {
            try #require(
              error.description.contains(before.status.rawValue)
                || error.description.contains("no tracks")
                || error.description.contains("marked as finished")
                || error.description.contains("already has a start"))
          }
        }
        if writer.status != before.status {
          try #require(
            Self.steps[before.status]?.contains(writer.status) == true,
            "from \(before.status) to \(writer.status)")
          if writer.status == .recording { try #require(writer.sessionStart != nil) }
          if writer.status == .finished { finished += 1 }
        }
        try #require(writer.droppedBeforeStart == observer.dropped)
        try #require(writer.droppedBeforeStart >= before.droppedBeforeStart)
        if writer.status.isFinal, Int.random(in: 0..<5, using: &random) == 0 { break }
      }
    }
    // The events reach every corner.
    #expect(kept > 100_000)
    #expect(illegal > 100_000)
    #expect(finished > 100)
  }

  /// Applies a random event. Returns whether a sample was kept.
  private func apply(
    _ writer: inout WriterMachine, _ observer: inout Observer, _ random: inout SeededRandom
  ) throws -> Bool {
    // Half of the events are likely ones for the state, so that writers get through all states.
    let likely =
      switch writer.status {
      case .idle: 0..<8
      case .finishing: 10..<16
      default: 0..<400
      }
    switch Int.random(in: Bool.random(using: &random) ? likely : 0..<400, using: &random) {
    case 0..<4:
      let kind = TrackKind.allCases.randomElement(using: &random) ?? .video
      let isAddable = writer.canAdd(kind)
      let number = try? writer.add(kind)
      try #require((number != nil) == isAddable)
      if number != nil, kind == .video { observer.hasVideo = true }
    case 4..<8: try writer.startWriting()
    case 8..<9:
      try writer.startSession(atSourceTime: RationalTime(.random(in: 0..<9, using: &random)))
    case 9: try writer.markAsFinished(.random(in: 0..<3, using: &random))
    case 10: try writer.finishWriting()
    case 11..<14: try writer.noteFinished()
    case 14: _ = writer.fail()
    case 15: try writer.cancelWriting()
    default: return try append(&writer, &observer, &random)
    }
    return false
  }

  private func append(
    _ writer: inout WriterMachine, _ observer: inout Observer, _ random: inout SeededRandom
  ) throws -> Bool {
    let number = Int.random(in: 0..<3, using: &random)
    let last = observer.lastKept[number] ?? .zero
    let time = try last + RationalTime(.random(in: -1...6, using: &random), 25)
    let sample = SampleFacts(
      presentationTime: time, decodingTime: time, duration: try RationalTime(1, 25),
      isSync: .random(using: &random), isDamaged: Int.random(in: 0..<9, using: &random) == 0,
      byteCount: 1)
    let wasPreparing = writer.status == .preparing
    let verdict = try writer.append(sample, to: number)
    switch verdict {
    case .kept:
      try #require([.recording].contains(writer.status))
      try #require(observer.lastKept[number].map { time > $0 } ?? true)
      try #require(writer.sessionStart.map { time >= $0 } == true)
      if wasPreparing {
        try #require(sample.isSync)
        try #require(!observer.hasVideo || writer.kinds[number] == .video)
      }
      observer.lastKept[number] = time
      return true
    case .droppedBeforeStart:
      observer.dropped += 1
    case .droppedAsDamaged:
      try #require(sample.isDamaged && number != writer.leadingTrack)
    }
    return false
  }

  @Test func `groups lose and keep samples as a whole`() throws {
    var random = SeededRandom(seed: 61)
    var (dropped, kept) = (0, 0)
    for _ in 0..<300 {
      var collector = GroupCollector<Int>(leadingTrack: 0, leadsWithVideo: true, byteLimit: 40)
      var isReliable = false
      var next = 0
      func take(_ group: SampleGroup<Int>?) throws {
        guard let group else { return }
        // Everything arrived in this order, so no group skips or repeats a sample of sound.
        try #require(group.samples.map(\.content) == group.samples.map(\.content).sorted())
        let isKept = group.isUsable && Int.random(in: 0..<8, using: &random) > 0
        if isKept {
          let pictures = group.samples.filter { $0.track == 0 }
          try #require(pictures.allSatisfy { !$0.facts.isDamaged })
          // Decoding never starts anywhere but at a keyframe.
          try #require(isReliable || pictures.isEmpty || pictures[0].facts.isSync)
          if !pictures.isEmpty { isReliable = true }
          kept += 1
        } else {
          collector.noteDrop()
          isReliable = false
          dropped += 1
        }
      }
      for frame in 0..<Int64(1000) {
        let track = Int.random(in: 0..<2, using: &random)
        let time = try RationalTime(frame, 25)
        let facts = SampleFacts(
          presentationTime: time, decodingTime: time, duration: try RationalTime(1, 25),
          isSync: track == 1 || Int.random(in: 0..<10, using: &random) == 0,
          isDamaged: track == 0 && Int.random(in: 0..<40, using: &random) == 0,
          followsLoss: track == 0 && Int.random(in: 0..<40, using: &random) == 0, byteCount: 1)
        try take(collector.add(RecordedSample(track: track, facts: facts, content: next)))
        next += 1
      }
      try take(collector.finish())
    }
    #expect(dropped > 1000)
    #expect(kept > 10_000)
  }
}
