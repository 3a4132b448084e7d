import FarmAPI
import Support
import Testing
import sheaf_coordinator

@Suite(.mayBlock) struct RetryPauseTests {
  private func lengths(
    _ transport: RecordingSource.Transport, _ attempts: [(hasRecorded: Bool, FailureCode?)]
  ) -> [Duration] {
    var pause = RetryPause(for: transport)
    return attempts.map { pause.length(afterRecording: $0.hasRecorded, $0.1) }
  }

  private let empty: [(hasRecorded: Bool, FailureCode?)] = Array(repeating: (false, nil), count: 7)

  @Test func `a server of RTSP from which nothing is recorded is asked less and less often`() {
    #expect(
      lengths(
        .rtsp, empty + [(true, nil), (false, .passphraseRejected), (true, .passphraseRejected)])
        == [1, 2, 4, 8, 16, 30, 30, 1, 1, 2].map { .seconds($0) })
  }

  @Test func `a server that cannot be reached, and other sources, are asked every second`() {
    #expect(
      lengths(.rtsp, Array(repeating: (false, .sourceUnreachable), count: 3))
        == Array(repeating: .seconds(1), count: 3))
    #expect(lengths(.tcp, empty) == Array(repeating: .seconds(1), count: 7))
  }
}
