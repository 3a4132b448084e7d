import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct ColorTests {
  /// A lossless clip of four vertical bars of uniform color, with the code values `bars` and tags.
  static func bars(
    _ bars: [(Int, Int, Int)], width: Int, height: Int, tags: [String], format: String = "yuv420p",
    in folder: TemporaryDirectory
  ) throws -> String {
    let path = folder.path("bars\(height).mkv")
    func course(_ channel: (Int, Int, Int) -> Int) -> String {
      let codes = bars.map { channel($0.0, $0.1, $0.2) }
      return "if(lt(X\\,W/4)\\,\(codes[0])\\,if(lt(X\\,W/2)\\,\(codes[1])\\,"
        + "if(lt(X\\,3*W/4)\\,\(codes[2])\\,\(codes[3]))))"
    }
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "color=black:s=\(width)x\(height):r=30:d=0.1,format=\(format),"
          + "geq=lum='\(course { y, _, _ in y })':cb='\(course { _, cb, _ in cb })'"
          + ":cr='\(course { _, _, cr in cr })'",
        "-c:v", "ffv1", "-pix_fmt", format,
      ] + tags + [path])
    return path
  }

  static let codes = [(81, 90, 240), (145, 54, 34), (41, 240, 110), (170, 120, 140)]

  /// Renders a clip of bars that fills the output, and returns the code values in the middle of each bar.
  static func rendered(
    _ path: String, size: PixelSize, in folder: TemporaryDirectory
  ) throws -> [[Double]] {
    var scene = TestScene(
      paths: [path], size: size, layers: [TestScene.Layer(source: 0, frames: [0])])
    let stream = try TestScene.source(path).stream
    scene.layers[0].transform = Ramps([
      .step(
        at: .zero,
        value: AffineTransform(
          a: Double(size.width) / Double(stream.size.width), b: 0, c: 0,
          d: Double(size.height) / Double(stream.size.height), tx: 0, ty: 0))
    ])
    let frame = try #require(try scene.renderedFrames(in: folder).first)
    return (0..<4).map { bar in
      let x = size.width / 8 + bar * size.width / 4
      let luma = frame.luma[size.height / 2 * size.width + x]
      let chroma = size.height / 4 * (size.width / 2) + x / 2
      return [Double(luma), Double(frame.cb[chroma]), Double(frame.cr[chroma])]
    }
  }

  static let pal = [
    "-color_primaries", "bt470bg", "-color_trc", "smpte170m", "-colorspace", "bt470bg",
  ]
  static let ntsc = [
    "-color_primaries", "smpte170m", "-color_trc", "smpte170m", "-colorspace", "smpte170m",
  ]

  @Test(arguments: [(576, pal), (576, []), (480, ntsc), (480, [])])
  func `BT.601 in BT.709 output is within one code value of the float64 reference`(
    rows: Int, tags: [String]
  ) throws {
    let folder = try TemporaryDirectory()
    let path = try Self.bars(Self.codes, width: 720, height: rows, tags: tags, in: folder)
    let reference = ColorReference(
      source: ColorKernelTests.reference(
        rows == 576 ? ColorKernelTests.bt625 : ColorKernelTests.bt525, bits: 8),
      target: ColorKernelTests.reference(.sRGB, bits: 8))
    let shown = try Self.rendered(path, size: PixelSize(width: 1280, height: 720), in: folder)
    for (shown, codes) in zip(shown, Self.codes) {
      let wanted = reference.codes([Double(codes.0), Double(codes.1), Double(codes.2)])
      // Pure green of 625-line video is outside the range of BT.709.
      for (value, wanted) in zip(shown, wanted) {
        #expect(abs(value - min(max(wanted, 0), 255)) < 1)
      }
    }
  }

  @Test func `a full-range source is converted to limited range`() throws {
    let folder = try TemporaryDirectory()
    let path = try Self.bars(
      [(0, 128, 128), (255, 128, 128), (100, 60, 200), (200, 250, 3)], width: 1280, height: 720,
      tags: ["-color_range", "pc", "-colorspace", "bt709", "-color_primaries", "bt709"],
      in: folder)
    let shown = try Self.rendered(path, size: PixelSize(width: 1280, height: 720), in: folder)
    let wanted: [[Double]] = [
      [16, 128, 128], [235, 128, 128], [102, 68, 191], [188, 235, 18],
    ]
    #expect(shown == wanted)
  }

  @Test func `an HLG source is tone-mapped to BT.709`() throws {
    let folder = try TemporaryDirectory()
    let bars = [(721, 512, 512), (940, 512, 512), (500, 400, 640), (300, 560, 480)]
    let path = try Self.bars(
      bars, width: 1280, height: 720,
      tags: [
        "-color_primaries", "bt2020", "-color_trc", "arib-std-b67", "-colorspace", "bt2020nc",
        "-color_range", "tv",
      ], format: "yuv420p10", in: folder)
    let reference = ColorReference(
      source: ColorKernelTests.reference(ColorKernelTests.hlg, bits: 10),
      target: ColorKernelTests.reference(.sRGB, bits: 8))
    let shown = try Self.rendered(path, size: PixelSize(width: 1280, height: 720), in: folder)
    for (shown, codes) in zip(shown, bars) {
      let wanted = reference.codes([Double(codes.0), Double(codes.1), Double(codes.2)])
      for (value, wanted) in zip(shown, wanted) { #expect(abs(value - wanted) < 1) }
    }
    // The brightest bar is white.
    #expect(shown[1] == [235, 128, 128])
  }

  @Test(arguments: [(720, "bt709,bt709,bt709"), (360, "smpte170m,bt709,bt709")])
  func `output carries all color tags`(rows: Int, tags: String) throws {
    let folder = try TemporaryDirectory()
    let path = try Self.bars(Self.codes, width: 640, height: rows, tags: [], in: folder)
    let scene = TestScene(
      paths: [path], size: PixelSize(width: 640, height: rows),
      layers: [TestScene.Layer(source: 0, frames: [0])])
    let chunk = folder.path("chunk.mp4")
    try scene.render(to: chunk)
    let shown = String(
      decoding: try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-show_entries",
          "stream=color_range,color_space,color_transfer,color_primaries,chroma_location", "-of",
          "csv=p=0", chunk,
        ]), as: UTF8.self)
    #expect(shown.trimmingCharacters(in: .whitespacesAndNewlines) == "tv,\(tags),left")
    // `colr` of type `nclx`, in the container.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: chunk))
    #expect(bytes.range(of: Data("colrnclx".utf8)) != nil)
  }

  @Test(
    .needsSharedMedia,
    arguments: [
      "ax_bt601.mov", "ax_vp9_10bit_23976.webm", "gopro_max_heromode_480p2997.mp4",
      "ax_hlg10_hevc_1080p.mp4", "ax_hdr10_av1_720x1280.mp4",
    ])
  func `real footage in any color space becomes the same BT.709 each time`(name: String) throws {
    let path = SharedMedia.path(name)
    let scene = TestScene(
      paths: [path], size: PixelSize(width: 1280, height: 720),
      layers: [TestScene.Layer(source: 0, frames: [3])])
    func digest() throws -> [Int] {
      let composer = try scene.segment().composer { try FileByteSource(path: $0.name) }
      return try composer.frame(0).withUnsafePlanes { planes in
        planes.map { plane in
          var hasher = 0
          for y in 0..<plane.height {
            for x in 0..<plane.width {
              hasher = hasher &* 31 &+ Int(plane.base[y * plane.stride + x])
            }
          }
          return hasher
        }
      }
    }
    let first = try digest()
    #expect(first.count == 3)
    #expect(try digest() == first)
  }

  // MARK: 10 bits

  /// The samples of all planes of a scene's first frame, as the encoder gets it.
  static func composited(_ scene: TestScene) throws -> [[UInt16]] {
    let composer = try scene.segment().composer { try FileByteSource(path: $0.name) }
    let frame = try composer.frame(scene.first)
    #expect(frame.pixelFormat == .yuv420p10)
    return try frame.withUnsafePlanes(of: UInt16.self) { planes in
      planes.map { plane in
        (0..<plane.height).flatMap { y in
          (0..<plane.width).map { plane.base[y * plane.stride + $0] }
        }
      }
    }
  }

  static func tenBits(_ rows: Int) -> WorkingFormat {
    let size = PixelSize(width: 2, height: rows)
    return WorkingFormat(
      bitDepth: 10, color: ColorSpace.standard(size: size).tags(size: size))
  }

  /// A ramp of every 10-bit code from 64 on, in 640 columns.
  static func ramp(in folder: TemporaryDirectory, height: Int = 64) throws -> String {
    let path = folder.path("ramp.mkv")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "color=black:s=640x\(height):r=30:d=0.1,format=yuv420p10,geq=lum='64+X':cb='400+X/8':cr=513",
        "-c:v", "ffv1", "-pix_fmt", "yuv420p10", path,
      ])
    return path
  }

  @Test func `a 10-bit source passes through a 10-bit pipeline bit for bit`() throws {
    let folder = try TemporaryDirectory()
    let scene = TestScene(
      paths: [try Self.ramp(in: folder)], size: PixelSize(width: 640, height: 64),
      workingFormat: Self.tenBits(64), layers: [TestScene.Layer(source: 0, frames: [0])])
    let planes = try Self.composited(scene)
    let luma: [UInt16] = (0..<640).map { UInt16(64 + $0) }
    let cb: [UInt16] = (0..<320).map { UInt16(400 + $0 / 8) }
    #expect(Array(planes[0][0..<640]) == luma)
    #expect(Array(planes[1][0..<320]) == cb)
    #expect(planes[2].allSatisfy { $0 == 513 })
  }

  @Test func `opacity and background are mixed at 10 bits`() throws {
    let folder = try TemporaryDirectory()
    var layer = TestScene.Layer(source: 0, frames: [0])
    layer.opacity = Ramps([.step(at: .zero, value: 0.3)])
    var scene = TestScene(
      paths: [try Self.ramp(in: folder)], size: PixelSize(width: 640, height: 64),
      background: Color(red: 255, green: 255, blue: 255), layers: [layer])
    scene.workingFormat = Self.tenBits(64)
    let planes = try Self.composited(scene)
    for x in 0..<640 {
      let wanted: Double = Double(64 + x) * 0.3 + 658
      #expect(abs(Double(planes[0][x]) - wanted) < 1, "column \(x)")
    }
  }

  @Test func `a rotation is sampled at 10 bits`() throws {
    let folder = try TemporaryDirectory()
    var layer = TestScene.Layer(source: 0, frames: [0])
    layer.transform = Ramps([.step(at: .zero, value: .turning(10, about: 320, 32))])
    var scene = TestScene(
      paths: [try Self.ramp(in: folder)], size: PixelSize(width: 640, height: 64), layers: [layer])
    scene.workingFormat = Self.tenBits(64)
    let planes = try Self.composited(scene)
    let reference = AffineReference(
      transform: .turning(10, about: 320, 32),
      shown: PixelRect(x: 0, y: 0, width: 640, height: 64))
    for (x, y) in [(320, 32), (300, 20), (350, 50), (331, 41)] {
      let origin = reference.origin(Double(x) + 0.5, Double(y) + 0.5)
      let wanted: Double = 63.5 + origin.0
      #expect(abs(Double(planes[0][y * 640 + x]) - wanted) < 1)
    }
  }

  @Test func `the code values of an 8-bit source are multiplied by four at 10 bits`() throws {
    let folder = try TemporaryDirectory()
    let path = try Self.bars(Self.codes, width: 640, height: 64, tags: [], in: folder)
    var scene = TestScene(
      paths: [path], size: PixelSize(width: 640, height: 64),
      layers: [TestScene.Layer(source: 0, frames: [0])])
    scene.workingFormat = Self.tenBits(64)
    let planes = try Self.composited(scene)
    for (bar, codes) in Self.codes.enumerated() {
      #expect(Int(planes[0][80 + 160 * bar]) == codes.0 * 4)
      #expect(Int(planes[1][40 + 80 * bar]) == codes.1 * 4)
    }
  }

  @Test func `HLG passes through unchanged, and white in a background is reference white`()
    throws
  {
    let folder = try TemporaryDirectory()
    let path = try Self.bars(
      [(721, 512, 512), (940, 512, 512), (500, 400, 640), (300, 560, 480)], width: 640,
      height: 64,
      tags: [
        "-color_primaries", "bt2020", "-color_trc", "arib-std-b67", "-colorspace", "bt2020nc",
        "-color_range", "tv",
      ], format: "yuv420p10", in: folder)
    let space = ColorKernelTests.hlg
    let size = PixelSize(width: 640, height: 64)
    var layer = TestScene.Layer(source: 0, frames: [0])
    layer.crop = Ramps([
      .step(at: .zero, value: PixelRect(x: 0, y: 0, width: 480, height: 64))
    ])
    let scene = TestScene(
      paths: [path], size: size, background: Color(red: 255, green: 255, blue: 255),
      workingFormat: WorkingFormat(bitDepth: 10, color: space.tags(size: size)), layers: [layer])
    let planes = try Self.composited(scene)
    let (luma, cb): ([UInt16], [UInt16]) = ([721, 940, 500], [512, 512, 400])
    for bar in 0..<3 {
      #expect(planes[0][80 + 160 * bar] == luma[bar])
      #expect(planes[1][40 + 80 * bar] == cb[bar])
    }
    // BT.2408: HLG's reference white is 75 %.
    let white = 64 + 876 * 0.75
    #expect(abs(Double(planes[0][600]) - white) < 3)
  }

  @Test(arguments: [
    (ColorKernelTests.hlg, "arib-std-b67", 0.75), (ColorKernelTests.pq, "smpte2084", 0.5807),
  ])
  func `a white animation layer over high dynamic range is reference white`(
    space: ColorSpace, transfer: String, signal: Double
  ) throws {
    let folder = try TemporaryDirectory()
    let path = try Self.bars(
      [(300, 512, 512), (300, 512, 512), (300, 512, 512), (300, 512, 512)], width: 640, height: 64,
      tags: [
        "-color_primaries", "bt2020", "-color_trc", transfer, "-colorspace", "bt2020nc",
        "-color_range", "tv",
      ], format: "yuv420p10", in: folder)
    let white = folder.path("white.png")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "color=c=white:s=16x16,format=rgba",
        "-frames:v", "1", white,
      ])
    let size = PixelSize(width: 640, height: 64)
    var segment = try TestScene(
      paths: [path, white], size: size,
      workingFormat: WorkingFormat(bitDepth: 10, color: space.tags(size: size)),
      layers: [TestScene.Layer(source: 0, frames: [0])]
    ).segment()
    var layer = LayerSlice(
      source: 1, frames: [FrameRun(time: 0, step: 0, count: 1)], opacity: Ramps(),
      transform: Ramps([
        .step(at: .zero, value: AffineTransform(a: 10, b: 0, c: 0, d: 4, tx: 0, ty: 0))
      ]), crop: Ramps())
    layer.isSmooth = true
    segment.slices[0].overlay = OverlaySlice(layers: [layer], isOverVideo: true)
    let composer = try segment.composer { try FileByteSource(path: $0.name) }
    let frame = try composer.frame(0)
    let (covered, bare) = try frame.withUnsafePlanes(of: UInt16.self) { planes in
      (planes[0].base[20 * planes[0].stride + 80], planes[0].base[20 * planes[0].stride + 400])
    }
    #expect(bare == 300)
    // ITU-R BT.2408-5, table 1: 75 % of HLG, 58 % of PQ (203 cd/m²).
    #expect(abs(Double(covered) - (64 + 876 * signal)) < 3, "\(covered)")
  }
}
