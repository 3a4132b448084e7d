import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct ScalerTests {
  private static func picture(
    _ format: PixelFormat, size: PixelSize, samples: [UInt8], tags: ColorTags? = nil
  ) throws -> Frame {
    let picture = try Frame(width: size.width, height: size.height, pixelFormat: format)
    try picture.withUnsafeMutablePlanes { planes in
      for (plane, sample) in zip(planes, samples) {
        for row in 0..<plane.height {
          (plane.base + row * plane.stride).update(repeating: sample, count: plane.width)
        }
      }
    }
    if let tags { picture.setColor(tags) }
    return picture
  }

  /// The values that occur in each plane.
  private static func values(of frame: Frame) -> [Set<UInt8>] {
    frame.withUnsafePlanes { planes in
      planes.map { plane in
        var values: Set<UInt8> = []
        for row in 0..<plane.height {
          values.formUnion(
            UnsafeBufferPointer(start: plane.base + row * plane.stride, count: plane.width))
        }
        return values
      }
    }
  }

  private let small = PixelSize(width: 64, height: 48)
  private let large = PixelSize(width: 320, height: 180)

  @Test func `a picture that already fits is returned without a copy`() throws {
    let picture = try Self.picture(.yuv420p, size: small, samples: [100, 90, 200])
    #expect(try Scaler(to: Scaler.Output(size: small)).scale(picture) === picture)
  }

  @Test(arguments: [16, 100, 235] as [UInt8])
  func `scaling keeps a flat color`(luma: UInt8) throws {
    let picture = try Self.picture(.yuv420p, size: small, samples: [luma, 90, 200])
    let scaled = try Scaler(to: Scaler.Output(size: large)).scale(picture)
    #expect(Self.values(of: scaled) == [[luma], [90], [200]])
    #expect(scaled.width == 320 && scaled.height == 180)
  }

  /// Chroma that rises evenly to the right from 0, by 8 a sample.
  private struct Ramp {
    /// The place of a sample, as a fraction of its width.
    var site: Double

    func value(atPixel x: Double) -> Double { 8 * (x / 2 - site) }

    /// The errors of a scaled picture's left-sited chroma, away from the edges.
    func errors(of scaled: Frame, by factor: Double) -> [Double] {
      scaled.withUnsafePlanes { planes in
        (0..<planes[1].width).compactMap { column in
          // A left-sited sample is at the center of its first pixel.
          let x = (Double(2 * column) + 0.5) / factor
          guard (16...48).contains(x) else { return nil }
          return Double(planes[1].base[planes[1].height / 2 * planes[1].stride + column])
            - value(atPixel: x)
        }
      }
    }
  }

  @Test(arguments: [0.5, 2, 3, 4])
  func `left-sited chroma keeps its place when it is scaled`(factor: Double) throws {
    let picture = try Self.picture(.yuv420p, size: small, samples: [100, 0, 128])
    try picture.withUnsafeMutablePlanes { planes in
      for row in 0..<planes[1].height {
        for column in 0..<planes[1].width {
          planes[1].base[row * planes[1].stride + column] = UInt8(8 * column)
        }
      }
    }
    let size = PixelSize(width: Int(64 * factor), height: Int(48 * factor))
    let scaled = try Scaler(to: Scaler.Output(size: size)).scale(picture)
    let errors = Ramp(site: 0.25).errors(of: scaled, by: factor)
    #expect(errors.count >= 8)
    // Little more than rounding.
    #expect(errors.allSatisfy { abs($0) < 0.6 })
  }

  @Test func `the chroma of a JPEG is in the middle of its pixels`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("ramp.jpg")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "nullsrc=s=64x48:r=1,format=yuvj420p,geq=lum=100:cb='16+7*X':cr=128", "-frames:v", "1",
        "-q:v", "1", path,
      ])
    let source = try FileByteSource(path: path)
    let stream = try MediaProber.index(of: source, named: path).video[0]
    let picture = try FrameReader(source: source, named: path, stream: stream).frame(
      at: stream.frames.times[0])
    // In full range.
    let row = picture.withUnsafePlanes { planes in (0..<32).map { Int(planes[1].base[$0]) } }
    try #require(row == (0..<32).map { 8 * $0 })
    let size = PixelSize(width: 256, height: 192)
    let scaled = try Scaler(to: Scaler.Output(size: size, keepsRange: true)).scale(picture)
    let errors = Ramp(site: 0.5).errors(of: scaled, by: 4)
    #expect(errors.count >= 8)
    #expect(errors.allSatisfy { abs($0) < 0.6 })
  }

  @Test(arguments: [(0, 16), (255, 235), (128, 126)] as [(UInt8, UInt8)])
  func `full range becomes limited range`(full: UInt8, limited: UInt8) throws {
    let picture = try Self.picture(.yuvj420p, size: small, samples: [full, 128, 128])
    for size in [small, large] {
      let scaled = try Scaler(to: Scaler.Output(size: size)).scale(picture)
      #expect(Self.values(of: scaled) == [[limited], [128], [128]])
      #expect(scaled.color.range == "tv")
    }
  }

  @Test func `full range that only a tag declares becomes limited range`() throws {
    let picture = try Self.picture(
      .yuv420p, size: small, samples: [255, 128, 128],
      tags: ColorTags(primaries: nil, transfer: nil, matrix: nil, range: "pc"))
    let scaled = try Scaler(to: Scaler.Output(size: small)).scale(picture)
    #expect(Self.values(of: scaled) == [[235], [128], [128]])
  }

  @Test func `another matrix keeps gray and changes other colors`() throws {
    let tags = ColorTags(primaries: nil, transfer: nil, matrix: "smpte170m", range: "tv")
    let scaler = Scaler(to: Scaler.Output(size: small, matrix: "bt709"))
    // Pure red of BT.601 is (81, 90, 240); of BT.709 it is (63, 102, 240).
    let red = try scaler.scale(
      try Self.picture(.yuv420p, size: small, samples: [81, 90, 240], tags: tags))
    let planes = Self.values(of: red)
    #expect(planes[0].isSubset(of: [62, 63, 64]))
    #expect(planes[1].isSubset(of: [101, 102, 103]))
    #expect(planes[2].isSubset(of: [239, 240]))
    #expect(red.color.matrix == "bt709")
  }

  @Test func `red in RGB becomes red in BT709`() throws {
    let size = PixelSize(width: 64, height: 720)
    let picture = try Frame(width: 64, height: 720, pixelFormat: .rgba)
    try picture.withUnsafeMutablePlanes { planes in
      for row in 0..<720 {
        for column in 0..<64 {
          let pixel = planes[0].base + row * planes[0].stride + column * 4
          (pixel[0], pixel[1], pixel[2], pixel[3]) = (255, 0, 0, 255)
        }
      }
    }
    let planes = Self.values(of: try Scaler(to: Scaler.Output(size: size)).scale(picture))
    #expect(planes[0].isSubset(of: [62, 63]))
    #expect(planes[1].isSubset(of: [102, 103]))
    #expect(planes[2].isSubset(of: [239, 240]))
  }
}
