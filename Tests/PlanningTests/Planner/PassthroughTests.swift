import Foundation
import Planning
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct PassthroughTests {
  @Test func `frames between keyframes and transitions are copied, and the rest is encoded`() throws
  {
    let plan = try Copied.plan(
      ["a": Copied.clip(), "b": Copied.clip()],
      #"{"clip": "a", "in": "1/5"}, {"transition": "dissolve", "duration": 1}, {"clip": "b"}"#)
    // a shows its frames 5 to 100, which lie beneath b from output frame 75 on; b's frame 25 is output frame 95.
    #expect(
      Copied.ranges(plan) == [
        "encoded 0..<20", "copied 20..<68", "encoded 68..<95", "copied 95..<170",
      ])
    #expect(plan.carried?.delay == 2)
    #expect(plan.carried?.encoded?.video.options?["sps-id"] == "1")
    #expect(plan.export.video.codec == .h264)
  }

  @Test func `the end of a clip, a transition and the start of the next clip are one segment`()
    throws
  {
    let clip = try MediaIndex.clip(seconds: RationalTime(8), keyframeInterval: 50)
    let copied = CopyPoints(
      starts: [0, 50, 100, 150], ends: Array(stride(from: 5, through: 200, by: 15)), delay: 2)
    let clips = ["a", "b"].reduce(into: [String: MediaIndex]()) { clips, name in
      clips[name] = clip
      clips[name]?.video[0].copying = copied
    }
    let plan = try Copied.plan(
      clips, #"{"clip": "a"}, {"transition": "dissolve", "duration": 1}, {"clip": "b"}"#)
    #expect(Copied.ranges(plan) == ["copied 0..<170", "encoded 170..<225", "copied 225..<375"])
    #expect(plan.segments[1].slices.map(\.first) == [170, 175, 200])
  }

  @Test(
    arguments: [
      ("{}", 17, "superfast", "0"), (#"{"crf": 30}"#, 30, "medium", nil),
      (#"{"encoderPreset": "veryfast"}"#, 18, "veryfast", nil),
      (#"{"crf": 30, "encoderPreset": "slow"}"#, 30, "slow", nil),
      (#"{"tune": "film"}"#, 17, "superfast", "0"),
    ] as [(String, Double, String, String?)])
  func `encoded parts have a fast preset, unless the project sets a preset or a rate factor`(
    video: String, crf: Double, preset: String, bFrames: String?
  ) throws {
    let plan = try Copied.plan(
      ["a": Copied.clip()], export: #"{"preset": "passthrough", "video": \#(video)}"#,
      #"{"clip": "a", "in": "1/5"}"#)
    let encoded = try #require(plan.segments.first?.video)
    #expect(encoded.crf == crf)
    #expect(encoded.encoderPreset == preset)
    #expect(encoded.options?["bframes"] == bFrames)
    #expect(encoded.options?["aq-mode"] == bFrames)
    #expect(encoded.options?["qpmax"] == bFrames.map { _ in "19" })
  }

  @Test func `a long part is divided where no frames are left out, or else every five minutes`()
    throws
  {
    var clip = try MediaIndex.clip(seconds: RationalTime(700))
    // Three leading frames before each keyframe follow it in the stream. The keyframe at 200 s has none.
    let starts = [0] + stride(from: 28, to: 17_500, by: 25)
    clip.video[0].copying = CopyPoints(
      starts: (starts + [5000]).sorted(),
      references: Dictionary(uniqueKeysWithValues: starts.dropFirst().map { ($0, [-1, -4]) }),
      ends: Array(stride(from: 25, through: 17_500, by: 25)), delay: 2, parameterSetIDs: [0])
    let plan = try Copied.plan(["a": clip], #"{"clip": "a"}"#)
    #expect(
      Copied.ranges(plan) == [
        "copied 0..<5000", "copied 5000..<12500", "encoded 12500..<12503", "copied 12503..<17500",
      ])
    #expect(plan.segments.map { $0.copy?.references } == [nil, nil, nil, [-1, -4]])
  }

  @Test(
    arguments: [
      // 90 s of footage with only keyframes at 400 Mb/s, and 40 s at 1 Gb/s.
      (90, 400_000_000, 1, ["copied 0..<1073", "copied 1073..<2250"]),
      (40, 1_000_000_000, 1, ["copied 0..<429", "copied 429..<1000"]),
      // A usual bit rate.
      (90, 50_000_000, 1, ["copied 0..<2250"]), (90, nil, 1, ["copied 0..<2250"]),
    ] as [(Int64, Int?, Int, [String])])
  func `a copied segment is limited in size, too`(
    seconds: Int64, peak: Int?, keyframeInterval: Int, ranges: [String]
  ) throws {
    var clip = try MediaIndex.clip(seconds: RationalTime(seconds))
    let count = Int(seconds) * 25
    clip.video[0].copying = CopyPoints(
      starts: Array(stride(from: 0, to: count, by: keyframeInterval)), ends: Array(1...count),
      delay: 0, parameterSetIDs: [0], peakBitRate: peak)
    let plan = try Copied.plan(["a": clip], #"{"clip": "a"}"#)
    #expect(Copied.ranges(plan) == ranges)
    for segment in plan.segments {
      #expect(Int64(segment.end - segment.first) * Int64(peak ?? 0) / 25 / 8 < 3 << 30)
    }
  }

  @Test func `in a stream of open groups, a copied segment ends after three gigabytes`() throws {
    var clip = try MediaIndex.clip(seconds: RationalTime(300))
    let starts = [0] + stride(from: 28, to: 7500, by: 25)
    clip.video[0].copying = CopyPoints(
      starts: starts,
      references: Dictionary(uniqueKeysWithValues: starts.dropFirst().map { ($0, [-1, -4]) }),
      ends: Array(stride(from: 25, through: 7500, by: 25)), delay: 2, parameterSetIDs: [0],
      peakBitRate: 200_000_000)
    let plan = try Copied.plan(["a": clip], #"{"clip": "a"}"#)
    #expect(
      Copied.ranges(plan) == [
        "copied 0..<3225", "encoded 3225..<3228", "copied 3228..<6450", "encoded 6450..<6453",
        "copied 6453..<7500",
      ])
  }

  @Test func `AV1 is copied from its keyframes up to any frame, and lists each sequence header`()
    throws
  {
    let plan = try Copied.plan(
      ["a": Copied.clipOfAV1([0x0A, 1, 1]), "b": Copied.clipOfAV1([0x0A, 1, 2])],
      #"{"clip": "a", "in": "1/5"}, {"transition": "dissolve", "duration": 1}, {"clip": "b"}"#)
    #expect(
      Copied.ranges(plan) == [
        "encoded 0..<20", "copied 20..<70", "encoded 70..<95", "copied 95..<170",
      ])
    #expect(plan.carried?.delay == 0)
    #expect(plan.carried?.parameterSets == [[0x0A, 1, 1], [0x0A, 1, 2]])
    #expect(plan.carried?.encoded?.video.codec == .av1)
    #expect(plan.carried?.encoded?.video.options == nil)
  }

  @Test func `AV1 in high dynamic range is encoded unchanged only with 10 bits`() throws {
    func deep(_ format: String) throws -> MediaIndex {
      try Copied.clipOfAV1([0x0A, 1, 1]) { index in
        index.video[0].pixelFormat = format
        index.video[0].color = ColorTags(
          primaries: "bt2020", transfer: "smpte2084", matrix: "bt2020nc", range: "tv")
      }
    }
    let cut = #"{"clip": "a", "in": "1/5"}"#
    let plan = try Copied.plan(["a": deep("yuv420p10le")], cut)
    #expect(plan.carried?.encoded?.video.bitDepth == 10)
    #expect(plan.carried?.encoded?.workingFormat?.color.transfer == "smpte2084")
    for format in ["yuv420p", "yuv444p10le", "gray10le"] {
      #expect(
        Copied.refusal(["a": try deep(format)], cut).first?.contains(
          "their format cannot be encoded (av1, \(format), high dynamic range)") == true)
    }
  }

  @Test(arguments: [(0, nil), (1, "left"), (2, "topleft"), (3, nil)] as [(Int, String?)])
  func `encoded parts have the chroma location of the AV1 clip`(
    _ position: Int, _ name: String?
  ) throws {
    let clip = try Copied.clipOfAV1([0x0A, 1, 1]) { $0.video[0].copying?.chromaPosition = position }
    let plan = try Copied.plan(["a": clip], #"{"clip": "a", "in": "1/5"}"#)
    #expect(
      plan.carried?.encoded?.video.options == name.map { ["chroma-sample-position": $0] })
  }

  @Test(arguments: [(0, 1), (1, 0), (0, 2), (2, 0), (2, 2), (1, 1)])
  func `AV1 that states no chroma location is copied beside AV1 that states one`(
    first: Int, second: Int
  ) throws {
    let plan = try Copied.plan(
      [
        "a": Copied.clipOfAV1([0x0A, 1, 1]) { $0.video[0].copying?.chromaPosition = first },
        "b": Copied.clipOfAV1([0x0A, 1, 2]) { $0.video[0].copying?.chromaPosition = second },
      ], #"{"clip": "a", "in": "1/5"}, {"clip": "b"}"#)
    #expect(
      Copied.ranges(plan) == ["encoded 0..<20", "copied 20..<95", "copied 95..<195"])
    let name = max(first, second) == 2 ? "topleft" : "left"
    #expect(plan.carried?.encoded?.video.options == ["chroma-sample-position": name])
  }

  @Test func `a whole clip is one copied segment`() throws {
    let plan = try Copied.plan(["a": Copied.clip()], #"{"clip": "a"}"#)
    #expect(Copied.ranges(plan) == ["copied 0..<100"])
    #expect(plan.carried?.encoded == nil)
  }

  @Test func `a long range is cut at a keyframe about every minute`() throws {
    var index = try MediaIndex.clip(seconds: RationalTime(200))
    index.video[0].copying = CopyPoints(
      starts: Array(stride(from: 0, to: 5000, by: 40)), ends: Array(1...5000), delay: 0)
    let plan = try Copied.plan(["a": index], #"{"clip": "a"}"#)
    #expect(Copied.ranges(plan) == ["copied 0..<1520", "copied 1520..<3040", "copied 3040..<5000"])
  }

  @Test func `clips with another rate or speed are encoded`() throws {
    let slow = try MediaIndex.clip(seconds: RationalTime(4), rate: RationalTime(20))
    #expect(
      Copied.ranges(
        try Copied.plan(
          ["a": Copied.clip(), "b": slow],
          #"{"clip": "a"}, {"clip": "b"}, {"clip": "a", "speed": 2}"#)
      ).filter { $0.hasPrefix("copied") } == ["copied 0..<100"])
  }

  @Test func `copied segments depend neither on encoder settings nor on copy points`() throws {
    func plan(_ crf: Int) throws -> Plan {
      try Copied.plan(
        ["a": Copied.clip()], export: #"{"preset": "passthrough", "video": {"crf": \#(crf)}}"#,
        #"{"clip": "a", "in": "1/5"}"#)
    }
    let (fine, coarse) = (try plan(10), try plan(40))
    #expect(fine.segments[0] != coarse.segments[0])
    #expect(fine.segments[1] == coarse.segments[1])
    let json = String(decoding: try JSONEncoder().encode(fine.segments), as: UTF8.self)
    #expect(!json.contains("copying"))
  }

  @Test func `full-range clips are copied under either name of their format`() throws {
    func clip(_ format: String) throws -> MediaIndex {
      try Copied.clip {
        $0.video[0].pixelFormat = format
        $0.video[0].color.range = "pc"
      }
    }
    let plan = try Copied.plan(
      ["a": clip("yuvj420p"), "b": clip("yuv420p")], #"{"clip": "a"}, {"clip": "b"}"#)
    #expect(Copied.ranges(plan) == ["copied 0..<100", "copied 100..<200"])
  }

  @Test(
    arguments: [
      // 2,617,920 is an eighth of the default for 1920 × 1080.
      ("{}", 24_000_000, 18_000_000, 72_000_000), ("{}", nil, 18_000_000, 54_000_000),
      ("{}", 2_000_000, 1_000_000, 7_853_760),
      (#"{"crf": 18}"#, 24_000_000, 18_000_000, 42_000_000),
      (#"{"crf": 18}"#, 2_000_000, 1_000_000, 4_581_360),
    ] as [(String, Int?, Int?, Int)])
  func `long encoded parts keep to a multiple of the highest bit rate of the copied footage`(
    video: String, first: Int?, second: Int?, limit: Int
  ) throws {
    let clips = [
      "a": try Copied.clip { $0.video[0].copying?.peakBitRate = first },
      "b": try Copied.clip { $0.video[0].copying?.peakBitRate = second },
    ]
    let plan = try Copied.plan(
      clips, export: #"{"preset": "passthrough", "video": \#(video)}"#,
      #"{"clip": "a"}, {"transition": "dissolve", "duration": 1}, {"clip": "b"}"#)
    let encoded = plan.segments.filter { $0.copy == nil }
    #expect(!encoded.isEmpty)
    for segment in encoded {
      #expect(segment.video.options?["maxrate"] == "\(limit)")
      #expect(segment.video.options?["bufsize"] == "\(limit)")
    }
  }

  @Test(arguments: [("tt", "top"), ("bt", "top"), ("bb", "bottom"), ("tb", "bottom")])
  func `parts of interlaced H.264 are encoded as interlaced, with the same field first`(
    order: String, first: String
  ) throws {
    let clip = try Copied.clip { $0.video[0].fieldOrder = order }
    let plan = try Copied.plan(["a": clip], #"{"clip": "a", "in": "1/5"}"#)
    #expect(Copied.ranges(plan) == ["encoded 0..<20", "copied 20..<95"])
    #expect(plan.carried?.encoded?.video.firstField?.rawValue == first)
  }

  @Test func `interlaced H.265 is copied as a whole, but not beside encoded parts`() throws {
    let clip = try Copied.clip {
      $0.video[0].codec = "hevc"
      $0.video[0].fieldOrder = "tt"
    }
    #expect(Copied.ranges(try Copied.plan(["a": clip], #"{"clip": "a"}"#)) == ["copied 0..<100"])
    #expect(
      Copied.refusal(["a": clip], #"{"clip": "a", "in": "1/5"}"#) == [
        #"export.preset: "a" is interlaced, but the parts that "passthrough" cannot copy would be encoded as progressive; cut at keyframes, without transitions and layers, or choose another preset"#
      ])
  }

  @Test func `interlaced clips with different fields first are not copied beside encoded parts`()
    throws
  {
    let clips = [
      "a": try Copied.clip { $0.video[0].fieldOrder = "bb" },
      "b": try Copied.clip { $0.video[0].fieldOrder = "tt" },
    ]
    #expect(
      Copied.refusal(clips, #"{"clip": "a", "in": "1/5"}, {"clip": "b"}"#) == [
        #"export.preset: "b" is interlaced, but the parts that "passthrough" cannot copy would be encoded as interlaced with the bottom field first; cut at keyframes, without transitions and layers, or choose another preset"#
      ])
  }

  @Test(
    arguments: [
      ("h264", "yuv422p10le", "4:2:2", 10), ("h264", "yuvj422p", "4:2:2", nil),
      ("hevc", "yuv444p", "4:4:4", nil), ("hevc", "yuv444p10le", "4:4:4", 10),
      ("h264", "yuv420p10le", nil, 10),
    ] as [(String, String, String?, Int?)])
  func `encoded parts have the source's sampling of chroma and depth`(
    codec: String, format: String, chroma: String?, depth: Int?
  ) throws {
    let clip = try Copied.clip { ($0.video[0].codec, $0.video[0].pixelFormat) = (codec, format) }
    let video = try Copied.plan(["a": clip], #"{"clip": "a", "in": "1/5"}"#).carried?.encoded?.video
    #expect(video?.chroma?.rawValue == chroma)
    #expect(video?.bitDepth == depth)
  }

  @Test func `rotated pictures and wide pixels are copied as they are stored`() throws {
    let turned = try Copied.clip {
      $0.video[0].orientation = Orientation(quarterTurns: 1, isMirrored: false)
      $0.video[0].pixelAspectRatio = RationalTime(2)
    }
    let plan = try Copied.plan(["a": turned], #"{"clip": "a"}"#)
    #expect(Copied.ranges(plan) == ["copied 0..<100"])
    #expect(plan.renderSize == PixelSize(width: 1920, height: 1080))
    #expect(plan.carried?.orientation == Orientation(quarterTurns: 1, isMirrored: false))
    #expect(plan.carried?.pixelAspectRatio == RationalTime(2))
  }
}
