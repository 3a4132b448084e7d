import ProjectFormat
import Support
import Testing
import Timeline

/// Problems of media in a sequence are reported for the clip or the music that plays it.
@Suite(.mayBlock) struct SegmentOriginTests {
  private func findings(_ sequence: ClipSequence, _ indexes: [String: MediaIndex]) -> [String] {
    ProjectDocument.sequence(sequence).checked(indexes: indexes, unreadable: [:]).findings
      .map(\.description)
  }

  private func clip(
    _ path: String, until end: Int64? = nil, speed: ClipSpeed = .normal
  ) -> SequenceItem {
    .clip(SequenceClip(path: path, outPoint: end.map { RationalTime($0) }, speed: speed))
  }

  @Test func `damage is reported for the clip that plays it`() throws {
    var damaged = try MediaIndex.clip(seconds: RationalTime(10))
    let times = damaged.video[0].frames.times
    damaged.video[0].damage = [DamagedRange(kind: .broken, start: times[100], end: times[125])]
    let indexes = ["a": damaged, "b": try MediaIndex.clip(seconds: RationalTime(2))]
    let dissolve = SequenceTransition(kind: .dissolve, duration: RationalTime(1))
    let sequence = ClipSequence(items: [
      clip("b"), clip("a", until: 4), .transition(dissolve), clip("b"), clip("a"),
    ])
    #expect(
      findings(sequence, indexes) == [
        "sequence[4].clip: the asset \"a\" is damaged: everything from frame 100 at 4.000 s to 5.000 s cannot be read; copy the file again, end the segment before it, or set export.onDamage to \"conceal\""
      ])
  }

  @Test func `an undecodable clip with several speeds is reported once`() throws {
    var encrypted = try MediaIndex.clip(seconds: RationalTime(10))
    encrypted.video[0].unreadable = "is encrypted (encv)"
    let speed = ClipSpeed.pieces([
      ClipSpeed.Piece(duration: RationalTime(4), from: RationalTime(1), to: RationalTime(1)),
      ClipSpeed.Piece(from: RationalTime(1), to: RationalTime(2)),
    ])
    #expect(
      findings(ClipSequence(items: [clip("a", speed: speed)]), ["a": encrypted]) == [
        "sequence[0].clip: video stream 0 of the asset \"a\" is encrypted (encv); use a copy that can be read, e.g. H.264 with AAC"
      ])
  }

  @Test func `undecodable music is reported at its path`() throws {
    var encrypted = MediaIndex.sound(seconds: RationalTime(4))
    encrypted.audio[0].unreadable = "is encrypted (enca)"
    let indexes = ["a": try MediaIndex.clip(seconds: RationalTime(10)), "song": encrypted]
    let sequence = ClipSequence(items: [clip("a")], music: [MusicClip(path: "song")])
    #expect(
      findings(sequence, indexes) == [
        "music[0].clip: audio stream 0 of the asset \"song\" is encrypted (enca); use a copy that can be read, e.g. H.264 with AAC"
      ])
  }

  @Test func `a sequence that is too long is reported as a whole`() throws {
    let still = MediaIndex.stillImage(size: PixelSize(width: 640, height: 480))
    let long = SequenceItem.clip(SequenceClip(path: "a", duration: RationalTime(500_001)))
    // At 30 frames a second, the file would also have too many frames.
    let sequence = ClipSequence(items: [long], frameRate: RationalTime(1))
    #expect(
      findings(sequence, ["a": still]) == [
        "sequence: a composition of 500001 s is too long; end at 500000 s or earlier"
      ])
  }
}
