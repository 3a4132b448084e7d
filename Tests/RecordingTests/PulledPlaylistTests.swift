import Recording
import Support
import Testing

@Suite(.mayBlock) struct PulledPlaylistTests {
  private func media(
    first: Int, _ count: Int, hasEnded: Bool = false, keepsSegments: Bool = false
  ) -> PulledPlaylist.Media {
    PulledPlaylist.Media(
      targetDuration: 4,
      segments: (first..<first + count).map {
        PulledPlaylist.Segment(number: $0, address: "\($0).ts", isDiscontinuous: false)
      }, hasEnded: hasEnded, keepsSegments: keepsSegments)
  }

  @Test func `a playlist of segments is read`() throws {
    let playlist = try PulledPlaylist(
      """
      #EXTM3U\r
      #EXT-X-TARGETDURATION:6\r
      #EXT-X-MEDIA-SEQUENCE:17\r
      # a comment\r
      #EXT-X-KEY:METHOD=NONE\r
      #EXTINF:5.96,title\r
      a.ts\r
      #EXT-X-DISCONTINUITY\r
      #EXTINF:6,\r
      sub/b.ts?x=1\r
      #EXT-X-ENDLIST\r
      """)
    #expect(
      playlist
        == .media(
          PulledPlaylist.Media(
            targetDuration: 6,
            segments: [
              PulledPlaylist.Segment(number: 17, address: "a.ts", isDiscontinuous: false),
              PulledPlaylist.Segment(number: 18, address: "sub/b.ts?x=1", isDiscontinuous: true),
            ], hasEnded: true, keepsSegments: false)))
  }

  @Test func `variants are parsed, including whether their sound has its own playlist`() throws {
    let playlist = try PulledPlaylist(
      """
      #EXTM3U
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="en, loud",URI="en.m3u8"
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="en"
      #EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS="avc1.4d401f,mp4a.40.2",AUDIO="a"
      low.m3u8
      #EXT-X-STREAM-INF:AUDIO="b",BANDWIDTH=2560000
      high.m3u8
      """)
    guard case .variants(let variants) = playlist else {
      Issue.record("\(playlist)")
      return
    }
    #expect(variants.map(\.address) == ["low.m3u8", "high.m3u8"])
    #expect(variants.map(\.bandwidth) == [1_280_000, 2_560_000])
    #expect(variants.map(\.hasSoundElsewhere) == [true, false])
  }

  @Test(arguments: [
    "", "<html>", "#EXTM3U", "#EXTM3U\n#EXTINF:1,\na.ts", "#EXTM3U\n#EXT-X-TARGETDURATION:x\na.ts",
    "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:-1\na.ts",
    "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:9223372036854775807\na.ts\nb.ts",
    "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:10\na.ts\n#EXT-X-MEDIA-SEQUENCE:0\nb.ts",
    "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-KEY:URI=\"x\"\na.ts",
    "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1",
    "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + String(repeating: "a.ts\n", count: 100_001),
  ]) func `an invalid playlist is rejected`(text: String) {
    #expect(throws: PulledPlaylist.Problem.self) { try PulledPlaylist(text) }
  }

  @Test func `a live playlist starts at its third-to-last segment, any other at its first`() {
    let cursor = PlaylistCursor()
    #expect(cursor.next(in: media(first: 10, 6))?.segment.number == 13)
    #expect(cursor.next(in: media(first: 10, 2))?.segment.number == 10)
    #expect(cursor.next(in: media(first: 10, 6, hasEnded: true))?.segment.number == 10)
    #expect(cursor.next(in: media(first: 10, 6, keepsSegments: true))?.segment.number == 10)
    #expect(cursor.next(in: media(first: 10, 0)) == nil)
  }

  @Test func `segments are taken once, in order, and gaps and restarts are noticed`() throws {
    var cursor = PlaylistCursor()
    cursor.take(try #require(media(first: 4, 1).segments.first))
    let next = try #require(cursor.next(in: media(first: 3, 4)))
    #expect(next.segment.number == 5 && !next.isDiscontinuous && !next.isAfterGap)
    cursor.take(next.segment)
    #expect(cursor.next(in: media(first: 3, 3)) == nil)
    let late = try #require(cursor.next(in: media(first: 9, 3)))
    #expect(late.segment.number == 9 && late.isDiscontinuous && late.isAfterGap)
    // A cache may offer an old playlist. A server that offers nothing else has restarted.
    for _ in 0..<4 {
      cursor.begin(with: media(first: 0, 2))
      #expect(cursor.next(in: media(first: 0, 2)) == nil)
    }
    cursor.begin(with: media(first: 0, 2))
    let again = try #require(cursor.next(in: media(first: 0, 2)))
    #expect(again.segment.number == 0 && again.isDiscontinuous && again.isAfterGap)
  }

  @Test func `a resumed recording skips the segments that are already in the playlist`() {
    var cursor = PlaylistCursor(skipsOffered: true)
    cursor.begin(with: media(first: 3, 4, keepsSegments: true))
    #expect(cursor.next(in: media(first: 3, 4)) == nil)
    cursor.begin(with: media(first: 3, 5))
    #expect(cursor.next(in: media(first: 3, 5))?.segment.number == 7)
  }
}
