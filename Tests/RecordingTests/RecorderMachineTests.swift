import Recording
import Support
import Testing

@Suite(.mayBlock) struct RecorderMachineTests {
  @Test func `a session starts, records, stops and is idle again`() throws {
    var recorder = RecorderMachine()
    #expect(try recorder.take(.start) == [.openSource])
    #expect(recorder.state == .starting)
    #expect(try recorder.take(.began) == [])
    #expect(recorder.state == .recording)
    #expect(try recorder.take(.stop) == [.finishWriting])
    #expect(recorder.state == .stopping)
    #expect(try recorder.take(.written) == [.tellFinished])
    #expect(recorder.state == .idle)
    #expect(try recorder.take(.start) == [.openSource])
  }

  @Test func `a session that never began can be stopped`() throws {
    var recorder = RecorderMachine()
    _ = try recorder.take(.start)
    #expect(try recorder.take(.sourceEnded) == [.finishWriting])
  }

  @Test func `failure cleans up, and tells the reason`() throws {
    for events in [[], [.began], [.began, .stop]] as [[RecorderMachine.Event]] {
      var recorder = RecorderMachine()
      _ = try recorder.take(.start)
      for event in events { _ = try recorder.take(event) }
      #expect(
        try recorder.take(.failed("the disk is full")) == [
          .cleanUp, .tellFailed("the disk is full"),
        ])
      #expect(recorder.state == .idle)
    }
  }

  @Test func `an event that the state forbids names it`() throws {
    var recorder = RecorderMachine()
    let error = #expect(throws: RecordingError.self) { try recorder.take(.stop) }
    #expect(error?.description == "stop: the recorder is idle: there is nothing to stop")
    _ = try recorder.take(.start)
    let second = #expect(throws: RecordingError.self) { try recorder.take(.start) }
    #expect(
      second?.description == "start: the recorder is starting: stop the current recording first")
  }
}
