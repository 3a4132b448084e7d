import Crypto
import Recording
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct EventPlaylistTests {
  private func entry(
    _ number: Int, of part: Int = 1, from start: RationalTime, to end: RationalTime
  ) -> EventPlaylist.Entry {
    EventPlaylist.Entry(
      part: part,
      fragment: RecordedFragment(
        number: number, start: start, end: end, byteCount: 10, sha256: .of([]), sampleCounts: [25],
        beginsWithKeyframe: true, gaps: []))
  }

  @Test func `a recording without fragments has an empty playlist`() {
    #expect(
      EventPlaylist([], hasEnded: false).text == """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-TARGETDURATION:1
        #EXT-X-PLAYLIST-TYPE:EVENT
        #EXT-X-INDEPENDENT-SEGMENTS

        """)
  }

  @Test func `each part has its header, and the durations include gaps`() throws {
    let entries = [
      entry(1, from: .zero, to: try RationalTime(1001, 1000)),
      // Half a second is lost before this fragment.
      entry(2, from: try RationalTime(1501, 1000), to: RationalTime(4)),
      entry(1, of: 2, from: .zero, to: try RationalTime(1, 3)),
    ]
    #expect(
      EventPlaylist(entries, hasEnded: true).text == """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-TARGETDURATION:3
        #EXT-X-PLAYLIST-TYPE:EVENT
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-MAP:URI="parts/1/header.mp4"
        #EXTINF:1.001000,
        parts/1/00000001.m4s
        #EXTINF:2.999000,
        parts/1/00000002.m4s
        #EXT-X-DISCONTINUITY
        #EXT-X-MAP:URI="parts/2/header.mp4"
        #EXTINF:0.333333,
        parts/2/00000001.m4s
        #EXT-X-ENDLIST

        """)
  }

  @Test(
    arguments: [
      ("00000001.m4s", 1), ("00012345.m4s", 12345), ("123456789.m4s", 123_456_789),
      ("1.m4s", nil), ("header.mp4", nil), ("../0000001.m4s", nil), ("-0000001.m4s", nil),
      ("000000001.m4s", nil), ("00000001.mp4", nil), ("", nil),
    ] as [(String, Int?)])
  func `a fragment is found by the name of its file only`(name: String, number: Int?) {
    #expect(RecordedFragment.number(ofFile: name) == number)
  }
}
