import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Recording
import Support
import Testing
import Timeline
import sheaf_coordinator

/// Requirements for every ledger: recordings.
@Suite(.mayBlock) struct LedgerRecordingContractTests {
  private typealias Scene = LedgerScene

  private let submission = RecordingSubmission(
    name: "camera", source: RecordingSource(.udp, host: "239.1.2.3", port: 5000),
    length: RationalTime(90))
  private let tracks = [
    TrackFormat(
      kind: .video, codec: "h264", width: 640, height: 360, sampleRate: 0, channels: 0)
  ]

  private func fragment(
    _ number: Int, gaps: [RecordingGap] = []
  ) -> RecordedFragment {
    RecordedFragment(
      number: number, start: RationalTime(Int64(number - 1)), end: RationalTime(Int64(number)),
      byteCount: 1000 * number, sha256: Scene.digest("fragment \(number)"), sampleCounts: [25],
      beginsWithKeyframe: true, gaps: gaps)
  }

  @Test(arguments: LedgerKind.allCases)
  func `a recording keeps its submission, and is found by its key`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    try scene.write(
      .recording("a", .accepted(submission, by: "ada", key: "once", at: Scene.date(10))),
      .recording("b", .accepted(submission, by: nil, key: nil, at: Scene.date(11))))
    let ledger = scene.ledger
    var expected = RecordingStatus(
      id: "a", submission: submission, submitter: "ada", createdAt: Scene.date(10))
    #expect(try ledger.recording("a") == expected)
    #expect(try ledger.recording("a")?.submission == submission)
    #expect(try ledger.recording(under: "once", by: "ada") == "a")
    #expect(try ledger.recording(under: "once", by: nil) == nil)
    #expect(try ledger.recording("c") == nil)
    #expect(try ledger.recordings(of: nil).map(\.id) == ["b", "a"])
    #expect(try ledger.recordings(of: "ada").map(\.id) == ["a"])
    try scene.write(.recording("a", .streamIgnored("stream 2: subtitles")))
    try scene.write(.recording("a", .streamIgnored("stream 2: subtitles")))
    expected.ignored = ["stream 2: subtitles"]
    #expect(try ledger.recording("a") == expected)
  }

  @Test(arguments: LedgerKind.allCases)
  func `a passphrase is kept until the source is closed, and is in no status`(
    kind: LedgerKind
  ) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    var secret = submission
    secret.passphrase = RecordingPassphrase("0123456789")
    for id in ["a", "b"] {
      try scene.write(
        .recording(id, .accepted(secret, by: nil, key: nil, at: Scene.date(10))))
      #expect(try ledger.passphrase(ofRecording: id) == secret.passphrase)
      #expect(try ledger.recording(id)?.submission == submission)
    }
    try scene.write(
      .recording("a", .finishing(nil)), .recording("b", .ended([], nil, at: Scene.date(11))))
    for id in ["a", "b"] {
      #expect(try ledger.passphrase(ofRecording: id) == nil)
      #expect(try ledger.recording(id)?.submission == submission)
    }
    #expect(try ledger.passphrase(ofRecording: "c") == nil)
  }

  @Test(arguments: LedgerKind.allCases)
  func `a recording grows by parts and fragments`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let gap = RecordingGap(track: 0, start: RationalTime(1), end: RationalTime(2))
    let second = RecordedPart(number: 2, start: RationalTime(5), tracks: tracks)
    var losses = RecordingLosses()
    losses.damagedSamples = 3
    try scene.write(
      .recording("a", .accepted(submission, by: nil, key: nil, at: Scene.date(10))),
      .recording("a", .partBegan(RecordedPart(number: 1, start: .zero, tracks: tracks))),
      .recording("a", .fragmentWritten(part: 1, fragment(1))),
      .recording("a", .fragmentWritten(part: 1, fragment(2, gaps: [gap]))),
      .recording("a", .partEnded(1, losses)), .recording("a", .partBegan(second)),
      .recording("a", .fragmentWritten(part: 2, fragment(1))))
    let status = try #require(try ledger.recording("a"))
    #expect(status.state == .recording)
    #expect(status.duration == RationalTime(6))
    #expect(status.byteCount == 4000)
    #expect(status.parts.map(\.number) == [1, 2])
    #expect(status.gaps == [RecordingStatus.PartGap(part: 1, gap: gap)])
    #expect(status.losses == losses)
    #expect(try ledger.fragment(2, ofPart: 1, ofRecording: "a") == fragment(2, gaps: [gap]))
    let later = try ledger.fragments(ofRecording: "a", from: 1, 2)
    #expect(later.map(\.part) == [1, 2])
    #expect(later.map(\.fragment.number) == [2, 1])
    #expect(try ledger.fragments(ofRecording: "a", from: 2, 2).isEmpty)
    #expect(try ledger.fragment(1, ofPart: 2, ofRecording: "a") == fragment(1))
    #expect(try ledger.fragment(2, ofPart: 2, ofRecording: "a") == nil)
    #expect(try ledger.fragment(1, ofPart: 1, ofRecording: "b") == nil)
    #expect(
      try ledger.fragments(ofRecording: "a") == [
        StoredFragment(part: 1, fragment: fragment(1)),
        StoredFragment(part: 1, fragment: fragment(2, gaps: [gap])),
        StoredFragment(part: 2, fragment: fragment(1)),
      ])
  }

  @Test(arguments: LedgerKind.allCases)
  func `a recording lists its excerpts in order, and a new file replaces the old one`(
    kind: LedgerKind
  ) throws {
    let scene = try Scene(kind)
    func excerpt(_ part: Int, _ first: Int, _ file: String) -> RecordedExcerpt {
      RecordedExcerpt(
        range: ExcerptRange(
          part: part, first: first, last: first + 3, start: RationalTime(5), sharedFrames: 25),
        sha256: Scene.digest(file), byteCount: 700)
    }
    try scene.write(
      .recording("a", .accepted(submission, by: nil, key: nil, at: Scene.date(10))),
      .recording("a", .excerptMade(excerpt(2, 1, "c"))),
      .recording("a", .excerptMade(excerpt(1, 4, "old"))),
      .recording("a", .excerptMade(excerpt(1, 1, "a"))),
      .recording("a", .excerptMade(excerpt(1, 4, "b"))))
    #expect(
      try scene.ledger.excerpts(ofRecording: "a")
        == [excerpt(1, 1, "a"), excerpt(1, 4, "b"), excerpt(2, 1, "c")])
    #expect(try scene.ledger.excerpts(ofRecording: "b").isEmpty)
    try scene.write(.recording("a", .deleted))
    #expect(try scene.ledger.excerpts(ofRecording: "a").isEmpty)
  }

  @Test(arguments: LedgerKind.allCases)
  func `a recording ends with its files or with a failure, and can be deleted`(
    kind: LedgerKind
  ) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let output = OutputFile(fileName: "camera.mp4", byteCount: 9, sha256: Scene.digest("file"))
    let failure = JobFailure(code: .nothingRecorded, message: "nothing was recorded")
    for id in ["a", "b"] {
      try scene.write(
        .recording(id, .accepted(submission, by: nil, key: nil, at: Scene.date(10))),
        .recording(id, .partBegan(RecordedPart(number: 1, start: .zero, tracks: tracks))),
        .recording(id, .finishing(id == "a" ? nil : failure)))
    }
    #expect(try ledger.recording("a")?.state == .finishing)
    #expect(try ledger.recording("a")?.failure == nil)
    #expect(try ledger.recording("b")?.failure == failure)
    #expect(try ledger.unfinishedRecordings().map(\.id) == ["a", "b"])
    try scene.write(
      .recording("a", .ended([output], nil, at: Scene.date(20))),
      .recording("b", .ended([], failure, at: Scene.date(21))))
    #expect(try ledger.recording("a")?.state == .finished)
    #expect(try ledger.unfinishedRecordings() == [])
    #expect(try ledger.recording("a")?.outputs == [output])
    #expect(try ledger.recording("a")?.endedAt == Scene.date(20))
    #expect(try ledger.recording("b")?.state == .failed)
    #expect(try ledger.recording("b")?.failure == failure)
    try scene.write(.recording("a", .deleted))
    #expect(try ledger.recording("a") == nil)
    #expect(try ledger.fragments(ofRecording: "a") == [])
    #expect(try ledger.recordings(of: nil).map(\.id) == ["b"])
  }
}
