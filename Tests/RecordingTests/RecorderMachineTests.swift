import Recording
import Support
import Testing

@Suite(.mayBlock) struct RecorderMachineTests {
  /// The states that a session goes through with these events.
  private func states(_ events: [RecorderMachine.Event]) throws -> [RecorderMachine.State] {
    var recorder = RecorderMachine()
    return try events.map { event in
      try recorder.take(event)
      return recorder.state
    }
  }

  @Test func `a session starts, records, stops and is idle again`() throws {
    #expect(
      try states([.start, .began, .stop, .written, .start])
        == [.starting, .recording, .stopping, .idle, .starting])
  }

  @Test func `a session that never began can be stopped`() throws {
    #expect(try states([.start, .sourceEnded, .written]) == [.starting, .stopping, .idle])
  }

  @Test func `after a failure, a session is idle`() throws {
    for events in [[], [.began], [.began, .stop]] as [[RecorderMachine.Event]] {
      #expect(try states([.start] + events + [.failed]).last == .idle)
    }
  }

  @Test func `an event that the state forbids throws an error that names both`() throws {
    var recorder = RecorderMachine()
    let error = #expect(throws: RecordingError.self) { try recorder.take(.stop) }
    #expect(error?.description == "stop: the recorder is idle: there is nothing to stop")
    try recorder.take(.start)
    let second = #expect(throws: RecordingError.self) { try recorder.take(.start) }
    #expect(
      second?.description == "start: the recorder is starting: stop the current recording first")
  }
}
