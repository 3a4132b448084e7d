import Crypto
import Recording
import Support
import Testing
import Timeline

/// The division of a recording into excerpts.
@Suite(.mayBlock) struct ExcerptRangeTests {
  private static let tracks = [
    TrackFormat(kind: .audio, codec: "aac", width: 0, height: 0, sampleRate: 48_000, channels: 2),
    TrackFormat(
      kind: .video, codec: "h264", width: 640, height: 360, sampleRate: 0, channels: 0),
  ]

  /// Fragments of these lengths in seconds.
  private static func fragments(
    _ lengths: [Int64], unseekable: Set<Int> = []
  ) -> [RecordedFragment] {
    var start: Int64 = 0
    return lengths.enumerated().map { place, length in
      defer { start += length }
      return RecordedFragment(
        number: place + 1, start: RationalTime(start), end: RationalTime(start + length),
        byteCount: 1000, sha256: Digest.of([UInt8(truncatingIfNeeded: place)]),
        sampleCounts: [47, 25 * Int(length)], beginsWithKeyframe: !unseekable.contains(place + 1),
        gaps: [])
    }
  }

  private static func part(
    _ number: Int, start: Int64 = 0, _ tracks: [TrackFormat] = tracks
  ) -> RecordedPart {
    RecordedPart(number: number, start: RationalTime(start), tracks: tracks)
  }

  @Test func `an excerpt ends with the first fragment of the next one`() throws {
    let ranges = try ExcerptRange.all(
      of: [Self.part(1)], [1: Self.fragments([2, 2, 2, 2, 2, 2, 2])])
    #expect(
      ranges == [
        ExcerptRange(part: 1, first: 1, last: 4, start: .zero, sharedFrames: 50),
        ExcerptRange(part: 1, first: 4, last: 7, start: RationalTime(6), sharedFrames: 50),
      ])
  }

  @Test func `an excerpt begins with a keyframe`() throws {
    let ranges = try ExcerptRange.all(
      of: [Self.part(1)], [1: Self.fragments([3, 3, 3, 3], unseekable: [3])])
    #expect(
      ranges == [ExcerptRange(part: 1, first: 1, last: 4, start: .zero, sharedFrames: 75)])
  }

  @Test func `the last fragments of a part are an excerpt once the next part has begun`() throws {
    let fragments = [1: Self.fragments([3, 3]), 2: Self.fragments([6, 1])]
    #expect(try ExcerptRange.all(of: [Self.part(1)], fragments).isEmpty)
    let first = ExcerptRange(part: 1, first: 1, last: 2, start: .zero, sharedFrames: 0)
    #expect(
      try ExcerptRange.all(of: [Self.part(1), Self.part(2, start: 20)], fragments)
        == [
          first,
          ExcerptRange(part: 2, first: 1, last: 2, start: RationalTime(20), sharedFrames: 25),
        ])
    // A part in another format is in another file.
    #expect(
      try ExcerptRange.all(
        of: [Self.part(1), Self.part(2, start: 20, Array(Self.tracks.reversed()))], fragments)
        == [first])
  }

  @Test func `a recording without pictures has no excerpts`() throws {
    let ranges = try ExcerptRange.all(
      of: [Self.part(1, Array(Self.tracks.prefix(1)))], [1: Self.fragments([6, 6, 6])])
    #expect(ranges.isEmpty)
  }

  @Test func `a growing recording keeps its earlier excerpts`() throws {
    var random = SeededRandom(seed: 28)
    for _ in 0..<200 {
      var parts: [RecordedPart] = []
      var all: [Int: [RecordedFragment]] = [:]
      for number in 1...Int.random(in: 1...3, using: &random) {
        parts.append(Self.part(number, start: Int64(number) * 100))
        let count = Int.random(in: 0...12, using: &random)
        all[number] = Self.fragments(
          (0..<count).map { _ in Int64.random(in: 1...7, using: &random) },
          unseekable: Set((0..<3).map { _ in Int.random(in: 2...13, using: &random) }))
      }
      let whole = try ExcerptRange.all(of: parts, all)
      for number in 1...parts.count {
        for count in 0...(all[number]?.count ?? 0) {
          var soFar = all.filter { $0.key < number }
          soFar[number] = all[number].map { Array($0.prefix(count)) }
          let ranges = try ExcerptRange.all(of: Array(parts.prefix(number)), soFar)
          #expect(ranges == Array(whole.prefix(ranges.count)))
        }
      }
    }
  }
}
