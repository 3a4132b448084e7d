import Recording
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct WriterMachineTests {
  private func sample(
    at time: Int64, decodedAt decoding: Int64? = nil, isSync: Bool = true, isDamaged: Bool = false
  ) throws -> SampleFacts {
    SampleFacts(
      presentationTime: try RationalTime(time, 25),
      decodingTime: try RationalTime(decoding ?? time, 25), duration: try RationalTime(1, 25),
      isSync: isSync, isDamaged: isDamaged, byteCount: 100)
  }

  /// A writer with a video track, and a sound track after it, that waits for its first sample.
  private func prepared() throws -> WriterMachine {
    var writer = WriterMachine()
    #expect(try writer.add(.video) == 0)
    #expect(try writer.add(.audio) == 1)
    try writer.startWriting()
    return writer
  }

  @Test func `a writer takes tracks only while it is idle, and one video track`() throws {
    var writer = WriterMachine()
    #expect(writer.canAdd(.video))
    _ = try writer.add(.video)
    #expect(!writer.canAdd(.video))
    #expect(writer.canAdd(.audio))
    #expect(throws: RecordingError.self) { try writer.add(.video) }
    try writer.startWriting()
    #expect(!writer.canAdd(.audio))
    let error = #expect(throws: RecordingError.self) { try writer.add(.audio) }
    #expect(
      error?.description
        == "add: the writer is preparing: add all tracks before writing starts")
  }

  @Test func `a writer without tracks does not start`() {
    var writer = WriterMachine()
    #expect(throws: RecordingError.self) { try writer.startWriting() }
    #expect(writer.status == .idle)
  }

  @Test func `the session starts at the first keyframe, and earlier samples are counted`() throws {
    var writer = try prepared()
    #expect(try writer.append(sample(at: 10), to: 1) == .droppedBeforeStart)
    #expect(try writer.append(sample(at: 11, isSync: false), to: 0) == .droppedBeforeStart)
    #expect(writer.status == .preparing)
    #expect(try writer.append(sample(at: 12), to: 0) == .kept)
    #expect(writer.status == .recording)
    #expect(writer.sessionStart == (try RationalTime(12, 25)))
    // Sound that arrives later but is heard earlier.
    #expect(try writer.append(sample(at: 11), to: 1) == .droppedBeforeStart)
    #expect(try writer.append(sample(at: 12), to: 1) == .kept)
    #expect(writer.droppedBeforeStart == 3)
  }

  @Test func `an explicit start drops what is presented before it`() throws {
    var writer = try prepared()
    try writer.startSession(atSourceTime: RationalTime(2))
    #expect(throws: RecordingError.self) { try writer.startSession(atSourceTime: RationalTime(3)) }
    #expect(try writer.append(sample(at: 49), to: 0) == .droppedBeforeStart)
    #expect(try writer.append(sample(at: 51, isSync: false), to: 0) == .droppedBeforeStart)
    #expect(try writer.append(sample(at: 52), to: 0) == .kept)
    #expect(writer.sessionStart == RationalTime(2))
  }

  @Test func `a recording of sound alone starts with its first sample`() throws {
    var writer = WriterMachine()
    _ = try writer.add(.audio)
    try writer.startWriting()
    #expect(try writer.append(sample(at: 7), to: 0) == .kept)
  }

  @Test func `samples of a track are decoded one after the other`() throws {
    var writer = try prepared()
    #expect(try writer.append(sample(at: 3, decodedAt: 1), to: 0) == .kept)
    #expect(try writer.append(sample(at: 5, decodedAt: 2, isSync: false), to: 0) == .kept)
    let before = writer
    let error = #expect(throws: RecordingError.self) {
      try writer.append(sample(at: 4, decodedAt: 2), to: 0)
    }
    #expect(error?.code == .outOfOrder)
    #expect(writer == before)
    // Each track has its own order.
    #expect(try writer.append(sample(at: 4, decodedAt: 2), to: 1) == .kept)
  }

  @Test func `damaged sound is dropped, and damaged pictures are left to their group`() throws {
    var writer = try prepared()
    _ = try writer.append(sample(at: 0), to: 0)
    #expect(try writer.append(sample(at: 0, isDamaged: true), to: 1) == .droppedAsDamaged)
    #expect(try writer.append(sample(at: 1, isDamaged: true), to: 0) == .kept)
  }

  @Test func `every illegal call names the state that forbids it, and changes nothing`() throws {
    var states: [WriterStatus: WriterMachine] = [:]
    var writer = WriterMachine()
    _ = try writer.add(.video)
    states[.idle] = writer
    try writer.startWriting()
    states[.preparing] = writer
    _ = try writer.append(sample(at: 0), to: 0)
    states[.recording] = writer
    try writer.finishWriting()
    states[.finishing] = writer
    var cancelled = writer
    try cancelled.cancelWriting()
    states[.cancelled] = cancelled
    var failed = writer
    #expect(failed.fail() == true)
    states[.failed] = failed
    try writer.noteFinished()
    states[.finished] = writer

    let calls: [(allowed: Set<WriterStatus>, call: (inout WriterMachine) throws -> Void)] = [
      ([.idle], { _ = try $0.add(.audio) }),
      ([.idle], { try $0.startWriting() }),
      ([.preparing], { try $0.startSession(atSourceTime: .zero) }),
      ([.preparing, .recording], { _ = try $0.append(try sample(at: 9), to: 0) }),
      ([.preparing, .recording], { try $0.markAsFinished(0) }),
      ([.preparing, .recording], { try $0.finishWriting() }),
      ([.finishing], { try $0.noteFinished() }),
      ([.idle, .preparing, .recording, .finishing], { try $0.cancelWriting() }),
    ]
    for status in WriterStatus.allCases {
      let state = try #require(states[status])
      for (number, (allowed, call)) in calls.enumerated() where !allowed.contains(status) {
        var copy = state
        let error = #expect(throws: RecordingError.self, "call \(number)") { try call(&copy) }
        #expect(error?.code == .illegalCall)
        #expect(error?.description.contains("the writer is \(status.rawValue)") == true)
        #expect(copy == state)
      }
    }
  }
}
