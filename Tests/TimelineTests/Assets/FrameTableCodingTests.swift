import Foundation
import Support
import Testing
import Timeline

/// The encoding of frame tables.
@Suite(.mayBlock) struct FrameTableCodingTests {
  /// A table in which every frame is a keyframe, as in camera recordings.
  private static func table(_ count: Int) -> FrameTable {
    let times = (0..<Int64(count)).map { $0 * 256 + ($0 % 7 == 0 ? 3 : 0) }
    let keyframes = times.enumerated().map { number, time in
      FrameTable.Keyframe(
        time: time, decodingTime: time - 512, position: Int64(number) * 900 + Int64(number % 13),
        hasLeadingFrames: number % 5000 == 4999, isSeekable: number % 3000 != 0,
        packetTime: number % 4000 == 17 ? time - 100 : nil)
    }
    return FrameTable(times: times, end: times[count - 1] + 256, keyframes: keyframes)
  }

  @Test(arguments: [1, 10_000, 10_001, 30_000])
  func `a frame table survives encoding and decoding`(count: Int) throws {
    let table = Self.table(count)
    #expect(try JSONDecoder().decode(FrameTable.self, from: JSONEncoder().encode(table)) == table)
  }

  @Test func `the keyframes of segments keep the encoding that workers expect`() throws {
    let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(Self.table(10_000)))
    let members = try #require(object as? [String: Any])
    #expect((members["keyframes"] as? [[String: Any]])?.count == 10_000)
    #expect(members["keyframeColumns"] == nil)
  }

  @Test func `a long recording of keyframes takes few bytes`() throws {
    let count = 100_000
    let table = FrameTable(
      times: (0..<Int64(count)).map { $0 * 512 }, end: Int64(count) * 512,
      keyframes: (0..<Int64(count)).map {
        FrameTable.Keyframe(
          time: $0 * 512, decodingTime: $0 * 512, position: 48 + $0 * 90_000 + $0 % 1000,
          hasLeadingFrames: false)
      })
    // The bytes of one position difference and a comma.
    #expect(try JSONEncoder().encode(table).count < count * 8)
  }

  @Test(arguments: [
    #""times": [0, 1, 3000000000], "positions": [1, 2, 3]"#,
    #""times": [0, 1, -1], "positions": [1, 2, 3]"#,
    #""times": [0, 1], "positions": [1, 2, 3]"#,
    #""times": [], "positions": [1, 2, 3]"#,
    #""times": [5, 1, 1], "positions": []"#,
    #""times": [0, 1, 1], "positions": [1, 2, 3]"#,
    #""times": [0, 1, 2], "positions": [1, 2, 3], "seekable": [2]"#,
    #""times": [0, 1, 2], "positions": [1, 2, 3], "seekable": [9223372036854775807, 1]"#,
    #""times": [0, 1, 2], "positions": [1, 2, 3], "packetTimes": [3, 0]"#,
    #""times": [0, 1, 2], "positions": [1, 2, 3], "packetTimes": [0]"#,
  ])
  func `columns of different lengths are rejected`(columns: String) throws {
    var text = columns
    for (name, value) in [
      ("decodingTimes", "[0, 1, 2]"), ("leading", "[3]"), ("seekable", "[3]"),
      ("packetTimes", "[]"),
    ] where !text.contains("\"\(name)\"") { text += ", \"\(name)\": \(value)" }
    let json = #"{"start": 0, "runs": [1, 2], "end": 3, "keyframeColumns": {\#(text)}}"#
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(FrameTable.self, from: Data(json.utf8))
    }
    let sound = #"""
      {"start": 0, "runs": [1, 2], "end": 3, "keyframeColumns": {"times": [0, 1, 2],
       "decodingTimes": [0, 1, 2], "positions": [1, 2, 3], "leading": [3], "seekable": [1, 2],
       "packetTimes": [1, -1]}}
      """#
    let table = try JSONDecoder().decode(FrameTable.self, from: Data(sound.utf8))
    #expect(table.keyframes.map(\.position) == [1, 3, 6])
    #expect(table.starts.map(\.time) == [0])
    #expect(table.keyframes[1].packetTime == -1)
  }
}
