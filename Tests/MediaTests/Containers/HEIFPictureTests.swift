import Foundation
import Media
import Support
import Testing
import Timeline

/// HEIC and AVIF pictures, made by `heif-enc`.
@Suite(.mayBlock) struct HEIFPictureTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private static let colors = [[200, 40, 40], [40, 180, 60], [50, 60, 210], [128, 128, 128]]

  /// Writes an image of 96 × 64 with quarters of red and green above blue and gray, the right half with alpha.
  private func writeQuarters(_ name: String, format: String, alpha: Int = 255) throws {
    func channel(_ number: Int) -> String {
      let values = Self.colors.map { $0[number] }
      let rows = [0, 2].map { "if(lt(X,48),\(values[$0]),\(values[$0 + 1]))" }
      return "if(lt(Y,32),\(rows[0]),\(rows[1]))"
    }
    let filter =
      "color=black:s=96x64,format=rgba,geq=r='\(channel(0))':g='\(channel(1))':b='\(channel(2))'"
      + ":a='if(lt(X,48),255,\(alpha))',format=\(format)"
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", filter, "-frames:v", "1", folder.path(name)])
  }

  @Test(
    arguments: [
      ("heic", "rgb24", [], "rgb24"), ("heic", "rgb24", ["-p", "chroma=422"], "rgb24"),
      ("heic", "rgb24", ["-p", "chroma=444"], "rgb24"), ("heic", "rgb48", ["-b", "10"], "rgb48le"),
      ("heic", "rgb24", ["--matrix_coefficients=1", "--full_range_flag=0"], "rgb24"),
      ("avif", "rgb24", [], "rgb24"), ("avif", "rgb24", ["-p", "chroma=444"], "rgb24"),
      ("heic", "rgba", [], "rgba"), ("heic", "rgba64be", ["-b", "10"], "rgba64le"),
      ("avif", "rgba", [], "rgba"),
    ] as [(String, String, [String], String)])
  func `a picture has the pixels and the alpha that were encoded`(
    kind: String, format: String, options: [String], decoded: String
  ) throws {
    let alpha = format.hasPrefix("rgba") ? 100 : 255
    try writeQuarters("in.png", format: format, alpha: alpha)
    let path = folder.path("picture.\(kind)")
    try Tool.run("heif-enc", ["-q", "95"] + options + [folder.path("in.png"), "-o", path])
    let read = try ReadPictures(path)
    #expect(read.index.isStillImage)
    #expect(read.index.format == "heif")
    #expect(read.index.duration == .zero)
    #expect(read.index.video[0].size == PixelSize(width: 96, height: 64))
    #expect(read.index.video[0].pixelFormat == decoded)
    let pixels = try #require(try read.frames([0]).first)
    for (number, place) in [(20, 12), (76, 12), (20, 52), (76, 52)].enumerated() {
      let expected = Self.colors[number] + [place.0 < 48 ? 255 : alpha]
      #expect(
        pixels.shows(expected, at: place.0, place.1), "\(pixels.at(place.0, place.1))")
    }
  }

  @Test func `a picture of 16 bits has the primaries and the transfer function of its profile`()
    throws
  {
    try writeQuarters("in.png", format: "rgb48")
    let path = folder.path("deep.avif")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", folder.path("in.png"), "-vf",
        "scale=out_color_matrix=bt2020nc,format=yuv420p10le,"
          + "setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc",
        "-c:v", "libaom-av1", "-cpu-used", "8", "-still-picture", "1", "-crf", "10", path,
      ])
    let read = try ReadPictures(path)
    #expect(read.index.isStillImage)
    #expect(read.index.video[0].pixelFormat == "rgb48le")
    #expect(read.index.video[0].color.primaries == "bt2020")
    #expect(read.index.video[0].color.transfer == "smpte2084")
    #expect(try read.frames([0])[0].shows(Self.colors[0] + [255], at: 20, 12))
  }

  @Test(arguments: ["heic", "avif"])
  func `a gray picture is recognized as grayscale`(kind: String) throws {
    try writeQuarters("in.png", format: "gray")
    let path = folder.path("picture.\(kind)")
    try Tool.run("heif-enc", [folder.path("in.png"), "-o", path])
    let read = try ReadPictures(path)
    #expect(read.index.isGrayscale == true)
    #expect(try read.frames([0])[0].shows([128, 128, 128, 255], at: 76, 52))
  }

  @Test(
    arguments: [
      ("irot", 1, (64, 96), [1, 3, 0, 2]), ("irot", 2, (96, 64), [3, 2, 1, 0]),
      ("irot", 3, (64, 96), [2, 0, 3, 1]), ("imir", 0, (96, 64), [2, 3, 0, 1]),
      ("imir", 1, (96, 64), [1, 0, 3, 2]),
    ] as [(String, UInt8, (Int, Int), [Int])])
  func `a picture that is stored rotated or mirrored is read upright`(
    property: String, value: UInt8, size: (Int, Int), colors: [Int]
  ) throws {
    try writeQuarters("in.png", format: "rgb24")
    let path = folder.path("turned.heic")
    try Tool.run("heif-enc", ["-q", "95", folder.path("in.png"), "-o", path])
    try add(Array(property.utf8) + [value], to: path)
    let read = try ReadPictures(path)
    #expect(read.index.video[0].size == PixelSize(width: size.0, height: size.1))
    #expect(read.index.video[0].orientation == .identity)
    let pixels = try read.frames([0])[0]
    let places = [(1, 1), (3, 1), (1, 3), (3, 3)].map { (size.0 * $0.0 / 4, size.1 * $0.1 / 4) }
    for (place, number) in zip(places, colors) {
      #expect(
        pixels.shows(Self.colors[number] + [255], at: place.0, place.1),
        "\(pixels.at(place.0, place.1))")
    }
  }

  /// Adds a property to a file's only picture (ISO/IEC 23008-12, 9.3): to the list and to the picture's own.
  private func add(_ property: [UInt8], to path: String) throws {
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let box = [0, 0, 0, UInt8(property.count + 4)] + property
    func place(of type: String) throws -> Int {
      try #require(bytes.firstRange(of: Array(type.utf8))?.lowerBound)
    }
    func number(at place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    func set(_ value: Int, at place: Int) {
      for byte in 0..<4 { bytes[place + byte] = UInt8(value >> (24 - 8 * byte) & 0xFF) }
    }
    // The coded picture moves by the length of the box and one byte of association.
    let growth = box.count + 1
    let coded = try place(of: "mdat") + 4
    let locations = try place(of: "iloc")
    let pointer = try #require(
      (locations..<locations + number(at: locations - 4)).first { number(at: $0) == coded })
    set(coded + growth, at: pointer)
    let list = try place(of: "ipco")
    let listEnd = list - 4 + number(at: list - 4)
    var (count, next) = (0, list + 4)
    while next < listEnd { (count, next) = (count + 1, next + number(at: next)) }
    // After its type: version and flags, a count of pictures, the picture's id, and its count of properties.
    let association = try place(of: "ipma")
    bytes[association + 14] += 1
    bytes.insert(0x80 | UInt8(count + 1), at: association - 4 + number(at: association - 4))
    for (type, more) in [("ipma", 1), ("iprp", growth), ("meta", growth), ("ipco", box.count)] {
      let start = try place(of: type) - 4
      set(number(at: start) + more, at: start)
    }
    bytes.insert(contentsOf: box, at: listEnd)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  @Test(arguments: [0.3, 0.7, 0.95])
  func `a picture that is cut short is rejected, and the error names it`(part: Double) throws {
    try writeQuarters("in.png", format: "rgb24")
    try Tool.run("heif-enc", [folder.path("in.png"), "-o", folder.path("whole.heic")])
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path("whole.heic")))
    let path = folder.path("part.heic")
    try whole.prefix(Int(Double(whole.count) * part)).write(to: URL(fileURLWithPath: path))
    let error = try #require(throws: MediaError.self) { try ReadPictures(path) }
    #expect(error.message.contains("part.heic"))
  }

  @Test func `an animated AVIF file is a video`() throws {
    let path = folder.path("moving.avif")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=0.5", "-c:v", "libaom-av1",
        "-cpu-used", "8", path,
      ])
    let read = try ReadPictures(path)
    #expect(!read.index.isStillImage)
    #expect(try read.milliseconds == [0, 100, 200, 300, 400, 500])
  }
}
