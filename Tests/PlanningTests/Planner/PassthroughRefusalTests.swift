import Foundation
import Planning
import Support
import Testing
import Timeline

/// Clips that the preset `passthrough` does not put into one file.
@Suite(.mayBlock) struct PassthroughRefusalTests {
  @Test func `clips that cannot share a file are refused by name`() throws {
    let wide = try Copied.clip { $0.video[0].size.width = 1280 }
    let hevc = try Copied.clip { $0.video[0].codec = "hevc" }
    let turned = try Copied.clip {
      $0.video[0].orientation = Orientation(quarterTurns: 1, isMirrored: false)
    }
    let both = #"{"clip": "a"}, {"clip": "b"}"#
    #expect(
      Copied.refusal(["a": try Copied.clip(), "b": wide], both) == [
        #"export.preset: "passthrough" cannot join "b" (h264, 1280×1080, yuv420p) and "a" (h264, 1920×1080, yuv420p) in one file; use clips with the same format, or choose another preset"#
      ])
    #expect(
      Copied.refusal(["a": try Copied.clip(), "b": hevc], both).first?.contains(
        "(hevc, 1920×1080, yuv420p)")
        == true)
    #expect(
      Copied.refusal(["a": try Copied.clip(), "b": turned], both).first?.contains("rotated by 90°")
        == true)
    #expect(
      Copied.refusal(["a": try Copied.clip { $0.video[0].codec = "mpeg2video" }], #"{"clip": "a"}"#)
        == [
          #"export.preset: "passthrough" cannot copy "a", whose codec is mpeg2video; choose another preset; h264, hevc, av1, vp9 and prores can be copied"#
        ])
    #expect(
      Copied.refusal(
        ["a": try Copied.clip()],
        export: #"{"preset": "passthrough", "fileType": "webm", "audio": {"codec": "opus"}}"#,
        #"{"clip": "a"}"#) == [
          #"export.fileType: webm files cannot hold h264, the codec of "a"; choose one of: mp4, mov, m4v, mkv"#
        ])
    #expect(
      Copied.refusal(
        ["a": try Copied.clip { $0.video[0].pixelFormat = "gray" }],
        #"{"clip": "a", "in": "1/5"}"#
      ).first?.contains("their format cannot be encoded (h264, gray)") == true)
  }

  @Test(
    arguments: [
      ("yuv420p", "yuv422p"), ("yuv422p", "yuv420p"), ("yuv420p", "yuv420p10le"),
      ("yuv420p10le", "yuv420p"), ("yuv422p10le", "yuv420p10le"),
    ])
  func `clips with different chroma or depth are refused in either order`(
    first: String, second: String
  )
    throws
  {
    let clips = [
      "a": try Copied.clip { $0.video[0].pixelFormat = first },
      "b": try Copied.clip { $0.video[0].pixelFormat = second },
    ]
    #expect(
      Copied.refusal(clips, #"{"clip": "a"}, {"clip": "b"}"#) == [
        #"export.preset: "passthrough" cannot join "b" (h264, 1920×1080, \#(second)) and "a" (h264, 1920×1080, \#(first)) in one file; use clips with the same format, or choose another preset"#
      ])
  }

  /// A property that a file states once for all its pictures, with two values and their names in messages.
  struct Property: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let values: (first: String, second: String)
    let names: (first: String, second: String)
    let set: @Sendable (inout MediaIndex, String) -> Void
  }

  private static let hdr = ColorTags(
    primaries: "bt2020", transfer: "smpte2084", matrix: "bt2020nc", range: "tv")

  private static let properties = [
    Property(
      testDescription: "PQ and HLG", values: ("smpte2084", "arib-std-b67"),
      names: ("HDR (PQ)", "HDR (HLG)")
    ) { index, value in
      index.video[0].color = hdr
      index.video[0].color.transfer = value
    },
    Property(
      testDescription: "SDR and PQ", values: ("bt709", "smpte2084"), names: ("SDR", "HDR (PQ)")
    ) { index, value in
      index.video[0].color = hdr
      index.video[0].color.transfer = value
    },
    Property(
      testDescription: "unstated transfer and HLG", values: ("", "arib-std-b67"),
      names: ("SDR", "HDR (HLG)")
    ) { index, value in
      index.video[0].color = hdr
      index.video[0].color.transfer = value.isEmpty ? nil : value
    },
    Property(
      testDescription: "matrix", values: ("bt709", "smpte170m"),
      names: ("bt709 matrix", "bt601 matrix")
    ) { $0.video[0].color.matrix = $1 },
    Property(
      testDescription: "primaries", values: ("bt709", "bt2020"),
      names: ("bt709 primaries", "bt2020 primaries")
    ) { $0.video[0].color.primaries = $1 },
    Property(
      testDescription: "range", values: ("tv", "pc"), names: ("limited range", "full range")
    ) { $0.video[0].color.range = $1 },
  ]

  @Test(arguments: properties, [false, true])
  func `clips whose colors differ are refused in either order`(
    property: Property, isReversed: Bool
  ) throws {
    let values = isReversed ? (property.values.1, property.values.0) : property.values
    let names = isReversed ? (property.names.1, property.names.0) : property.names
    func clip(_ value: String) throws -> MediaIndex {
      try Copied.clip { index in
        index.video[0].codec = "hevc"
        index.video[0].pixelFormat = "yuv420p10le"
        property.set(&index, value)
      }
    }
    let clips = ["a": try clip(values.0), "b": try clip(values.1)]
    let format = "hevc, 1920×1080, yuv420p10le"
    #expect(
      Copied.refusal(clips, #"{"clip": "a"}, {"clip": "b"}"#) == [
        #"export.preset: "passthrough" cannot join "b" (\#(format), \#(names.1)) and "a" (\#(format), \#(names.0)) in one file; export separate files, or choose another preset, which converts them"#
      ])
    let alike = ["a": try clip(values.0), "b": try clip(values.0)]
    #expect(Copied.refusal(alike, #"{"clip": "a"}, {"clip": "b"}"#).isEmpty)
  }

  @Test(arguments: [(1, 2), (2, 1)])
  func `AV1 clips with different chroma locations are refused in either order`(
    first: Int, second: Int
  ) throws {
    let clips = try [("a", first), ("b", second)].map { name, position in
      (name, try Copied.clipOfAV1([0x0A, 1, 1]) { $0.video[0].copying?.chromaPosition = position })
    }
    let names = [first, second].map {
      "av1, 1920×1080, yuv420p, chroma at the \($0 == 1 ? "left" : "top left")"
    }
    #expect(
      Copied.refusal(
        Dictionary(uniqueKeysWithValues: clips), #"{"clip": "a"}, {"clip": "b"}"#) == [
          #"export.preset: "passthrough" cannot join "b" (\#(names[1])) and "a" (\#(names[0])) in one file; export separate files, or choose another preset, which converts them"#
        ])
  }

  @Test func `AV1 clips with different chroma locations are refused after one that states none`()
    throws
  {
    func clip(_ position: Int) throws -> MediaIndex {
      try Copied.clipOfAV1([0x0A, 1, 1]) { $0.video[0].copying?.chromaPosition = position }
    }
    let format = "av1, 1920×1080, yuv420p, chroma at the"
    #expect(
      Copied.refusal(
        ["a": try clip(0), "b": try clip(1), "c": try clip(2), "d": try clip(1)],
        #"{"clip": "a"}, {"clip": "b"}, {"clip": "c"}, {"clip": "d"}"#) == [
          #"export.preset: "passthrough" cannot join "c" (\#(format) top left) and "b" (\#(format) left) in one file; export separate files, or choose another preset, which converts them"#
        ])
  }

  @Test(arguments: [("hq", "proxy"), ("proxy", "hq")])
  func `clips with different ProRes profiles are refused in either order`(
    first: String, second: String
  ) throws {
    func clip(_ profile: String) throws -> MediaIndex {
      try Copied.clip { index in
        index.video[0].codec = "prores"
        index.video[0].pixelFormat = "yuv422p10le"
        index.video[0].copying = CopyPoints(
          starts: Array(0..<100), ends: Array(1...100), delay: 0, profile: profile)
      }
    }
    let lines = Copied.refusal(
      ["a": try clip(first), "b": try clip(second)],
      export: #"{"preset": "passthrough", "fileType": "mov"}"#,
      #"{"clip": "a"}, {"clip": "b"}"#)
    #expect(lines.count == 1)
    #expect(lines.first?.contains(", profile \(second)) and \"a\"") == true)
    #expect(lines.first?.contains(", profile \(first)) in one file; export separate files") == true)
  }

  @Test func `a property that one clip does not state is compared by its assumed value`() throws {
    let stated = try Copied.clip {
      $0.video[0].color = ColorTags(
        primaries: "bt709", transfer: "bt709", matrix: "bt709", range: "tv")
    }
    for sequence in [#"{"clip": "a"}, {"clip": "b"}"#, #"{"clip": "b"}, {"clip": "a"}"#] {
      let plan = try Copied.plan(["a": Copied.clip(), "b": stated], sequence)
      #expect(Copied.ranges(plan) == ["copied 0..<100", "copied 100..<200"])
      #expect(plan.carried?.encoded == nil)
    }
  }

  /// A property that a clip of 1920×1080 may leave unstated, with the names of the assumed value and of another one in
  /// messages.
  struct OpenProperty: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let names: (stated: String, assumed: String)
    let set: @Sendable (inout VideoStream) -> Void
  }

  private static let openProperties = [
    OpenProperty(testDescription: "range", names: ("full range", "limited range")) { stream in
      stream.pixelFormat = "yuvj420p"
      stream.color.range = "pc"
    },
    OpenProperty(testDescription: "matrix", names: ("bt601 matrix", "bt709 matrix")) { stream in
      stream.color.matrix = "smpte170m"
    },
    OpenProperty(
      testDescription: "primaries", names: ("smpte432 primaries", "bt709 primaries")
    ) { stream in stream.color.primaries = "smpte432" },
  ]

  @Test(arguments: openProperties, [false, true])
  func `a clip that does not state a property is refused beside one with another value`(
    property: OpenProperty, isReversed: Bool
  ) throws {
    let clips = [
      "open": try Copied.clip(), "stated": try Copied.clip { property.set(&$0.video[0]) },
    ]
    let open = "h264, 1920×1080, yuv420p, assumed \(property.names.assumed)"
    let stated = "h264, 1920×1080, yuv420p, \(property.names.stated)"
    let (first, second) = isReversed ? ("stated", "open") : ("open", "stated")
    let (ours, theirs) = isReversed ? (stated, open) : (open, stated)
    #expect(
      Copied.refusal(clips, #"{"clip": "\#(first)"}, {"clip": "\#(second)"}"#) == [
        #"export.preset: "passthrough" cannot join "\#(second)" (\#(theirs)) and "\#(first)" (\#(ours)) in one file; tag the colors in each file (ffmpeg -bsf:v h264_metadata), export separate files, or choose another preset, which converts them"#
      ])
  }

  @Test func `clips that do not fit and a range without a frame are reported together`() throws {
    let wide = try Copied.clip { $0.video[0].size.width = 1280 }
    let export =
      #"{"preset": "passthrough", "timeRange": {"start": "781/200", "duration": "1/100"}}"#
    // The range contains the cut, between the frames at 3.88 s and 3.92 s.
    let lines = Copied.refusal(
      ["a": try Copied.clip(), "b": wide], export: export,
      #"{"clip": "a", "out": "391/100"}, {"clip": "b"}"#)
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("export.timeRange: ") == true)
    #expect(lines.last?.hasPrefix("export.preset: ") == true)
  }
}
