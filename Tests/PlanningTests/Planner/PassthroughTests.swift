import Foundation
import Planning
import Support
import Testing
import Timeline

struct PassthroughTests {
  /// A clip of 4 s at 25 frames a second with a keyframe each second, every third frame an end.
  private static func clip(_ change: (inout MediaIndex) -> Void = { _ in }) throws -> MediaIndex {
    var index = try MediaIndex.clip(seconds: RationalTime(4))
    index.video[0].copying = CopyPoints(
      starts: [0, 25, 50, 75], ends: Array(stride(from: 1, through: 100, by: 3)), delay: 2,
      parameterSetIDs: [0])
    change(&index)
    return index
  }

  private static func ranges(_ plan: Plan) -> [String] {
    plan.segments.map { "\($0.copy == nil ? "encoded" : "copied") \($0.first)..<\($0.end)" }
  }

  private static func plan(
    _ indexes: [String: MediaIndex], export: String = #"{"preset": "passthrough"}"#,
    _ sequence: String
  ) throws -> Plan {
    let text = #"{"version": 1, "sequence": [\#(sequence)], "export": \#(export)}"#
    guard case .sequence(let read) = try ProjectDocument.parse(Array(text.utf8)) else {
      Issue.record("not a sequence")
      throw CancellationError()
    }
    let plan = try Planned.plan(read, indexes)
    Planned.check(plan)
    return plan
  }

  private static func refusal(
    _ indexes: [String: MediaIndex], export: String = #"{"preset": "passthrough"}"#,
    _ sequence: String
  ) -> [String] {
    do {
      _ = try plan(indexes, export: export, sequence)
      return []
    } catch let error as ProjectError {
      return error.lines
    } catch {
      return ["\(error)"]
    }
  }

  @Test func `what lies between keyframes and transitions is copied, the rest is encoded`() throws {
    let plan = try Self.plan(
      ["a": Self.clip(), "b": Self.clip()],
      #"{"clip": "a", "in": "1/5"}, {"transition": "dissolve", "duration": 1}, {"clip": "b"}"#)
    // a shows its frames 5 to 100, from the output's frame 75 on beneath b; b's frame 25 is the output's 95.
    #expect(
      Self.ranges(plan) == [
        "encoded 0..<20", "copied 20..<68", "encoded 68..<95", "copied 95..<170",
      ])
    #expect(plan.carried?.delay == 2)
    #expect(plan.carried?.encoded?.video.crf == 18)
    #expect(plan.carried?.encoded?.video.options == ["sps-id": "1"])
    #expect(plan.export.video.codec == .h264)
  }

  private static func clipOfAV1(
    _ header: [UInt8], _ change: (inout MediaIndex) -> Void = { _ in }
  ) throws -> MediaIndex {
    try clip { index in
      index.video[0].codec = "av1"
      index.video[0].parameterSets = [0x81, 0, 0, 0]
      index.video[0].copying = CopyPoints(
        starts: [0, 25, 50, 75], ends: Array(1...100), delay: 0, sequenceHeaders: [header],
        chromaPosition: 0)
      change(&index)
    }
  }

  @Test func `AV1 is copied from its keyframes up to any frame, and lists each sequence header`()
    throws
  {
    let plan = try Self.plan(
      ["a": Self.clipOfAV1([0x0A, 1, 1]), "b": Self.clipOfAV1([0x0A, 1, 2])],
      #"{"clip": "a", "in": "1/5"}, {"transition": "dissolve", "duration": 1}, {"clip": "b"}"#)
    #expect(
      Self.ranges(plan) == [
        "encoded 0..<20", "copied 20..<70", "encoded 70..<95", "copied 95..<170",
      ])
    #expect(plan.carried?.delay == 0)
    #expect(plan.carried?.parameterSets == [[0x0A, 1, 1], [0x0A, 1, 2]])
    #expect(plan.carried?.encoded?.video.codec == .av1)
    #expect(plan.carried?.encoded?.video.crf == 24)
    #expect(plan.carried?.encoded?.video.options == nil)
  }

  @Test func `AV1 of high dynamic range is encoded as it is, of 10 bits alone`() throws {
    func deep(_ format: String) throws -> MediaIndex {
      try Self.clipOfAV1([0x0A, 1, 1]) { index in
        index.video[0].pixelFormat = format
        index.video[0].colour = ColourTags(
          primaries: "bt2020", transfer: "smpte2084", matrix: "bt2020nc", range: "tv")
      }
    }
    let cut = #"{"clip": "a", "in": "1/5"}"#
    let plan = try Self.plan(["a": deep("yuv420p10le")], cut)
    #expect(plan.carried?.encoded?.video.bitDepth == 10)
    #expect(plan.carried?.encoded?.workingFormat?.colour.transfer == "smpte2084")
    for format in ["yuv420p", "yuv444p10le", "gray10le"] {
      #expect(
        Self.refusal(["a": try deep(format)], cut).first?.contains(
          "cannot be encoded as they are (av1, \(format), high dynamic range)") == true)
    }
  }

  @Test(arguments: [(0, nil), (1, "left"), (2, "topleft"), (3, nil)] as [(Int, String?)])
  func `encoded parts have their chroma where the clip of AV1 says`(
    _ position: Int, _ name: String?
  ) throws {
    let clip = try Self.clipOfAV1([0x0A, 1, 1]) { $0.video[0].copying?.chromaPosition = position }
    let plan = try Self.plan(["a": clip], #"{"clip": "a", "in": "1/5"}"#)
    #expect(
      plan.carried?.encoded?.video.options == name.map { ["chroma-sample-position": $0] })
  }

  @Test func `AV1 whose chroma lies elsewhere is encoded beside the first`() throws {
    func ranges(_ first: Int, _ second: Int) throws -> [String] {
      Self.ranges(
        try Self.plan(
          [
            "a": Self.clipOfAV1([0x0A, 1, 1]) { $0.video[0].copying?.chromaPosition = first },
            "b": Self.clipOfAV1([0x0A, 1, 2]) { $0.video[0].copying?.chromaPosition = second },
          ], #"{"clip": "a"}, {"clip": "b"}"#)
      ).filter { $0.hasPrefix("copied") }
    }
    #expect(try ranges(0, 1) == ["copied 0..<100", "copied 100..<200"])
    #expect(try ranges(0, 2) == ["copied 0..<100"])
    #expect(try ranges(2, 2) == ["copied 0..<100", "copied 100..<200"])
  }

  @Test func `a clip that is whole is one segment, and nothing is encoded`() throws {
    let plan = try Self.plan(["a": Self.clip()], #"{"clip": "a"}"#)
    #expect(Self.ranges(plan) == ["copied 0..<100"])
    #expect(plan.carried?.encoded == nil)
  }

  @Test func `a long range is cut at a keyframe about each minute`() throws {
    var index = try MediaIndex.clip(seconds: RationalTime(200))
    index.video[0].copying = CopyPoints(
      starts: Array(stride(from: 0, to: 5000, by: 40)), ends: Array(1...5000), delay: 0)
    let plan = try Self.plan(["a": index], #"{"clip": "a"}"#)
    #expect(Self.ranges(plan) == ["copied 0..<1520", "copied 1520..<3040", "copied 3040..<5000"])
  }

  @Test func `clips of another rate or speed are encoded`() throws {
    let slow = try MediaIndex.clip(seconds: RationalTime(4), rate: RationalTime(20))
    #expect(
      Self.ranges(
        try Self.plan(
          ["a": Self.clip(), "b": slow],
          #"{"clip": "a"}, {"clip": "b"}, {"clip": "a", "speed": 2}"#)
      ).filter { $0.hasPrefix("copied") } == ["copied 0..<100"])
  }

  @Test func `chunks do not depend on how others are encoded, nor on the points`() throws {
    func plan(_ crf: Int) throws -> Plan {
      try Self.plan(
        ["a": Self.clip()], export: #"{"preset": "passthrough", "video": {"crf": \#(crf)}}"#,
        #"{"clip": "a", "in": "1/5"}"#)
    }
    let (fine, coarse) = (try plan(10), try plan(40))
    #expect(fine.segments[0] != coarse.segments[0])
    #expect(fine.segments[1] == coarse.segments[1])
    let json = String(decoding: try JSONEncoder().encode(fine.segments), as: UTF8.self)
    #expect(!json.contains("copying"))
  }

  @Test func `what cannot be one file is refused with the clips' names`() throws {
    let wide = try Self.clip { $0.video[0].size.width = 1280 }
    let hevc = try Self.clip { $0.video[0].codec = "hevc" }
    let turned = try Self.clip {
      $0.video[0].orientation = Orientation(quarterTurns: 1, isMirrored: false)
    }
    let both = #"{"clip": "a"}, {"clip": "b"}"#
    #expect(
      Self.refusal(["a": try Self.clip(), "b": wide], both) == [
        #"export.preset: "passthrough" cannot put "b" (h264, 1280×1080, yuv420p) into one file with "a" (h264, 1920×1080, yuv420p); use clips of one format, or choose another preset"#
      ])
    #expect(
      Self.refusal(["a": try Self.clip(), "b": hevc], both).first?.contains(
        "(hevc, 1920×1080, yuv420p)")
        == true)
    #expect(
      Self.refusal(["a": try Self.clip(), "b": turned], both).first?.contains("turned by 90°")
        == true)
    #expect(
      Self.refusal(["a": try Self.clip { $0.video[0].codec = "mpeg2video" }], #"{"clip": "a"}"#)
        == [
          #"export.preset: "passthrough" cannot copy "a", whose codec is mpeg2video; choose another preset; h264, hevc, av1, vp9 and prores can be copied"#
        ])
    #expect(
      Self.refusal(
        ["a": try Self.clip()],
        export: #"{"preset": "passthrough", "fileType": "webm", "audio": {"codec": "opus"}}"#,
        #"{"clip": "a"}"#) == [
          #"export.fileType: webm files cannot hold h264, which is the codec of "a"; choose one of: mp4, mov, m4v, mkv"#
        ])
    #expect(
      Self.refusal(
        ["a": try Self.clip { $0.video[0].pixelFormat = "yuv422p" }],
        #"{"clip": "a", "in": "1/5"}"#
      ).first?.contains("cannot be encoded as they are (h264, yuv422p)") == true)
  }

  @Test(
    arguments: [
      ("yuv420p", "yuv422p"), ("yuv422p", "yuv420p"), ("yuv420p", "yuv420p10le"),
      ("yuv420p10le", "yuv420p"), ("yuv422p10le", "yuv420p10le"),
    ])
  func `clips of other chroma or depth are refused in either order`(first: String, second: String)
    throws
  {
    let clips = [
      "a": try Self.clip { $0.video[0].pixelFormat = first },
      "b": try Self.clip { $0.video[0].pixelFormat = second },
    ]
    #expect(
      Self.refusal(clips, #"{"clip": "a"}, {"clip": "b"}"#) == [
        #"export.preset: "passthrough" cannot put "b" (h264, 1920×1080, \#(second)) into one file with "a" (h264, 1920×1080, \#(first)); use clips of one format, or choose another preset"#
      ])
  }

  /// A property of pictures that one file states once, with two values and their names in messages.
  struct Property: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let values: (first: String, second: String)
    let names: (first: String, second: String)
    let set: @Sendable (inout MediaIndex, String) -> Void
  }

  private static let hdr = ColourTags(
    primaries: "bt2020", transfer: "smpte2084", matrix: "bt2020nc", range: "tv")

  private static let properties = [
    Property(
      testDescription: "PQ and HLG", values: ("smpte2084", "arib-std-b67"),
      names: ("HDR (PQ)", "HDR (HLG)")
    ) { index, value in
      index.video[0].colour = hdr
      index.video[0].colour.transfer = value
    },
    Property(
      testDescription: "SDR and PQ", values: ("bt709", "smpte2084"), names: ("SDR", "HDR (PQ)")
    ) { index, value in
      index.video[0].colour = hdr
      index.video[0].colour.transfer = value
    },
    Property(
      testDescription: "unstated transfer and HLG", values: ("", "arib-std-b67"),
      names: ("SDR", "HDR (HLG)")
    ) { index, value in
      index.video[0].colour = hdr
      index.video[0].colour.transfer = value.isEmpty ? nil : value
    },
    Property(
      testDescription: "matrix", values: ("bt709", "smpte170m"),
      names: ("bt709 matrix", "bt601 matrix")
    ) { $0.video[0].colour.matrix = $1 },
    Property(
      testDescription: "primaries", values: ("bt709", "bt2020"),
      names: ("bt709 primaries", "bt2020 primaries")
    ) { $0.video[0].colour.primaries = $1 },
    Property(
      testDescription: "range", values: ("tv", "pc"), names: ("limited range", "full range")
    ) { $0.video[0].colour.range = $1 },
  ]

  @Test(arguments: properties, [false, true])
  func `clips whose colors differ are refused in either order`(
    property: Property, isReversed: Bool
  ) throws {
    let values = isReversed ? (property.values.1, property.values.0) : property.values
    let names = isReversed ? (property.names.1, property.names.0) : property.names
    func clip(_ value: String) throws -> MediaIndex {
      try Self.clip { index in
        index.video[0].codec = "hevc"
        index.video[0].pixelFormat = "yuv420p10le"
        property.set(&index, value)
      }
    }
    let clips = ["a": try clip(values.0), "b": try clip(values.1)]
    let format = "hevc, 1920×1080, yuv420p10le"
    #expect(
      Self.refusal(clips, #"{"clip": "a"}, {"clip": "b"}"#) == [
        #"export.preset: "passthrough" cannot put "b" (\#(format), \#(names.1)) into one file with "a" (\#(format), \#(names.0)); make separate films, or choose another preset, which converts them"#
      ])
    let alike = ["a": try clip(values.0), "b": try clip(values.0)]
    #expect(Self.refusal(alike, #"{"clip": "a"}, {"clip": "b"}"#).isEmpty)
  }

  @Test(arguments: [("hq", "proxy"), ("proxy", "hq")])
  func `clips of several ProRes profiles are refused in either order`(
    first: String, second: String
  ) throws {
    func clip(_ profile: String) throws -> MediaIndex {
      try Self.clip { index in
        index.video[0].codec = "prores"
        index.video[0].pixelFormat = "yuv422p10le"
        index.video[0].copying = CopyPoints(
          starts: Array(0..<100), ends: Array(1...100), delay: 0, profile: profile)
      }
    }
    let lines = Self.refusal(
      ["a": try clip(first), "b": try clip(second)],
      export: #"{"preset": "passthrough", "fileType": "mov"}"#,
      #"{"clip": "a"}, {"clip": "b"}"#)
    #expect(lines.count == 1)
    #expect(lines.first?.contains(", profile \(second)) into one file with \"a\"") == true)
    #expect(lines.first?.contains(", profile \(first)); make separate films") == true)
  }

  @Test func `a property that one clip does not state is no difference`() throws {
    let stated = try Self.clip {
      $0.video[0].colour = ColourTags(
        primaries: "bt709", transfer: "bt709", matrix: "bt709", range: "tv")
    }
    for sequence in [#"{"clip": "a"}, {"clip": "b"}"#, #"{"clip": "b"}, {"clip": "a"}"#] {
      let plan = try Self.plan(["a": Self.clip(), "b": stated], sequence)
      #expect(Self.ranges(plan) == ["copied 0..<100", "copied 100..<200"])
      #expect(plan.carried?.encoded == nil)
    }
  }

  /// A property that a clip of 1920×1080 may leave open: its key, a value other than what such a clip is taken for, and
  /// the names of that and of the assumed value in messages.
  struct OpenProperty: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let names: (stated: String, assumed: String)
    let set: @Sendable (inout VideoStream) -> Void
  }

  private static let openProperties = [
    OpenProperty(testDescription: "range", names: ("full range", "limited range")) { stream in
      stream.pixelFormat = "yuvj420p"
      stream.colour.range = "pc"
    },
    OpenProperty(testDescription: "matrix", names: ("bt601 matrix", "bt709 matrix")) { stream in
      stream.colour.matrix = "smpte170m"
    },
    OpenProperty(
      testDescription: "primaries", names: ("smpte432 primaries", "bt709 primaries")
    ) { stream in stream.colour.primaries = "smpte432" },
  ]

  @Test(arguments: openProperties, [false, true])
  func `a clip that does not state a property is refused beside one with another value`(
    property: OpenProperty, isReversed: Bool
  ) throws {
    let clips = [
      "open": try Self.clip(), "stated": try Self.clip { property.set(&$0.video[0]) },
    ]
    let open = "h264, 1920×1080, yuv420p, \(property.names.assumed), which it does not state"
    let stated = "h264, 1920×1080, yuv420p, \(property.names.stated)"
    let (first, second) = isReversed ? ("stated", "open") : ("open", "stated")
    let (ours, theirs) = isReversed ? (stated, open) : (open, stated)
    #expect(
      Self.refusal(clips, #"{"clip": "\#(first)"}, {"clip": "\#(second)"}"#) == [
        #"export.preset: "passthrough" cannot put "\#(second)" (\#(theirs)) into one file with "\#(first)" (\#(ours)); state the colors in each file (ffmpeg -bsf:v h264_metadata), make separate films, or choose another preset, which converts them"#
      ])
  }

  @Test func `clips of full range are copied whichever way their formats are named`() throws {
    func clip(_ format: String) throws -> MediaIndex {
      try Self.clip {
        $0.video[0].pixelFormat = format
        $0.video[0].colour.range = "pc"
      }
    }
    let plan = try Self.plan(
      ["a": clip("yuvj420p"), "b": clip("yuv420p")], #"{"clip": "a"}, {"clip": "b"}"#)
    #expect(Self.ranges(plan) == ["copied 0..<100", "copied 100..<200"])
  }

  @Test(
    arguments: [
      // 2,617,920 is an eighth of what 1920 × 1080 has by default.
      (24_000_000, 18_000_000, 42_000_000), (nil, 18_000_000, 31_500_000),
      (2_000_000, 1_000_000, 4_581_360),
    ] as [(Int?, Int?, Int)])
  func `long encoded parts keep to 1.75 times the highest bit rate of the copied footage`(
    first: Int?, second: Int?, limit: Int
  ) throws {
    let clips = [
      "a": try Self.clip { $0.video[0].copying?.peakBitRate = first },
      "b": try Self.clip { $0.video[0].copying?.peakBitRate = second },
    ]
    let plan = try Self.plan(
      clips, #"{"clip": "a"}, {"transition": "dissolve", "duration": 1}, {"clip": "b"}"#)
    let encoded = plan.segments.filter { $0.copy == nil }
    #expect(!encoded.isEmpty)
    for segment in encoded {
      #expect(segment.video.options?["maxrate"] == "\(limit)")
      #expect(segment.video.options?["bufsize"] == "\(limit)")
    }
  }

  @Test func `interlaced pictures are copied whole, and not beside others`() throws {
    let fields = try Self.clip { $0.video[0].fieldOrder = "tt" }
    #expect(Self.ranges(try Self.plan(["a": fields], #"{"clip": "a"}"#)) == ["copied 0..<100"])
    #expect(
      Self.refusal(["a": fields], #"{"clip": "a", "in": "1/5"}"#) == [
        #"export.preset: "a" is interlaced, and the parts that "passthrough" cannot copy would not be; cut at keyframes, without transitions and layers, or choose another preset"#
      ])
  }

  @Test func `clips that do not fit and a range without a frame are told together`() throws {
    let wide = try Self.clip { $0.video[0].size.width = 1280 }
    let export =
      #"{"preset": "passthrough", "timeRange": {"start": "1/100", "duration": "1/100"}}"#
    let lines = Self.refusal(
      ["a": try Self.clip(), "b": wide], export: export, #"{"clip": "a"}, {"clip": "b"}"#)
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("export.timeRange: ") == true)
    #expect(lines.last?.hasPrefix("export.preset: ") == true)
  }

  @Test func `turned pictures and wide pixels are copied as they are stored`() throws {
    let turned = try Self.clip {
      $0.video[0].orientation = Orientation(quarterTurns: 1, isMirrored: false)
      $0.video[0].pixelAspectRatio = RationalTime(2)
    }
    let plan = try Self.plan(["a": turned], #"{"clip": "a"}"#)
    #expect(Self.ranges(plan) == ["copied 0..<100"])
    #expect(plan.renderSize == PixelSize(width: 1920, height: 1080))
    #expect(plan.carried?.orientation == Orientation(quarterTurns: 1, isMirrored: false))
    #expect(plan.carried?.pixelAspectRatio == RationalTime(2))
  }
}
