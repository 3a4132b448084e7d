import Foundation
import Support
import Testing

/// Files with a clean aperture, checked byte by byte.
@Suite(.mayBlock) struct CleanApertureTests {
  private static let codings: [(type: String, video: String, isInFront: Bool)] = [
    ("mp4", #""encoderPreset": "veryfast""#, true),
    ("mp4", #""codec": "hevc", "encoderPreset": "superfast""#, false),
    ("mov", #""codec": "prores""#, true),
    ("mov", #""encoderPreset": "veryfast""#, false),
    ("m4v", #""encoderPreset": "veryfast""#, true),
  ]

  @Test(arguments: codings)
  func `a requested clean aperture is in the file, and the frames are unchanged`(
    type: String, video: String, isInFront: Bool
  ) throws {
    let folder = try TemporaryDirectory()
    try FrameNamingClip(source: 1, frameCount: 20, width: 160, height: 96)
      .write(to: folder.path("a.mp4"))
    func render(_ aperture: String, to name: String) throws -> Rendered {
      try Rendered(
        project: """
          {"version": 1, "sequence": [{"clip": "a.mp4"}],
           "export": {"fileType": "\(type)", "optimizeForNetworkUse": \(isInFront),
             "video": {\(video)\(aperture)}}}
          """, in: folder, output: name)
    }
    let aperture = #"{"width": 141, "height": "175/2", "horizontalOffset": "-3/2"}"#
    let plain = try render("", to: "plain.\(type)")
    let tagged = try render(#", "cleanAperture": \#(aperture)"#, to: "tagged.\(type)")
    #expect(try plain.cleanAperture == nil)
    // ISO 14496-12, 12.1.4: each number over its denominator.
    #expect(try tagged.cleanAperture == [141, 1, 175, 2, -3, 2, 0, 1])
    #expect(try tagged.frames() == plain.frames())
    #expect(try tagged.complaints() == "")
    #expect(try isInFront == (tagged.position(of: "moov") < tagged.position(of: "mdat")))
    struct Index: Decodable {
      struct Rectangle: Decodable, Equatable { var x, y, width, height: Double }
      struct Stream: Decodable { var cleanAperture: Rectangle }
      var video: [Stream]
    }
    let probed = try Program.sheaf.run(["probe", "--json", tagged.path], in: folder.path)
    let index = try JSONDecoder().decode(Index.self, from: Data(probed.standardOutput.utf8))
    #expect(
      index.video.first?.cleanAperture == .init(x: 8, y: 4.25, width: 141, height: 87.5))
  }
}

extension Rendered {
  /// A digest of each decoded frame of video, with its time.
  fileprivate func frames() throws -> String {
    String(
      decoding: try Tool.run(
        "ffmpeg", ["-v", "error", "-i", path, "-map", "0:v", "-f", "framemd5", "-"]),
      as: UTF8.self)
  }

  /// A box's place among the file's.
  fileprivate func position(of type: String) throws -> Int {
    let boxes = Self.boxes(of: try Data(contentsOf: URL(fileURLWithPath: path)))
    return try #require(boxes.firstIndex { $0.type == type })
  }

  /// The eight numbers of the first track's `clap`; `nil` if its sample description has none.
  fileprivate var cleanAperture: [Int32]? {
    get throws {
      var data = try Data(contentsOf: URL(fileURLWithPath: path))
      for type in ["moov", "trak", "mdia", "minf", "stbl", "stsd"] {
        data = try #require(Self.boxes(of: data).first { $0.type == type }).payload
      }
      // ISO 14496-12, 8.5.2 and 12.1.3: 8 bytes, then entries that begin with 78 bytes.
      let entry = try #require(Self.boxes(of: data.dropFirst(8)).first)
      return Self.boxes(of: entry.payload.dropFirst(78)).first { $0.type == "clap" }
        .map { clap in
          let bytes = Array(clap.payload)
          return stride(from: 0, to: bytes.count, by: 4).map { start in
            Int32(bitPattern: bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
          }
        }
    }
  }

  private static func boxes(of data: Data) -> [(type: String, payload: Data)] {
    var (boxes, rest) = ([(type: String, payload: Data)](), data)
    while rest.count >= 8 {
      let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard size >= 8, size <= rest.count else { break }
      let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
      boxes.append((type, rest.dropFirst(8).prefix(size - 8)))
      rest = rest.dropFirst(size)
    }
    return boxes
  }
}
