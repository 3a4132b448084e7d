import Media
import Support
import Testing
import Timeline

struct ScalerTests {
  private static func picture(
    _ format: PixelFormat, size: PixelSize, samples: [UInt8], tags: ColourTags? = nil
  ) throws -> Frame {
    let picture = try Frame(width: size.width, height: size.height, pixelFormat: format)
    try picture.withUnsafeMutablePlanes { planes in
      for (plane, sample) in zip(planes, samples) {
        for row in 0..<plane.height {
          (plane.base + row * plane.stride).update(repeating: sample, count: plane.width)
        }
      }
    }
    if let tags { picture.setColour(tags) }
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

  @Test func `a picture that fits is handed on without a copy`() throws {
    let picture = try Self.picture(.yuv420p, size: small, samples: [100, 90, 200])
    #expect(try Scaler(to: Scaler.Output(size: small)).scale(picture) === picture)
  }

  @Test(arguments: [16, 100, 235] as [UInt8])
  func `scaling keeps a flat colour`(luma: UInt8) throws {
    let picture = try Self.picture(.yuv420p, size: small, samples: [luma, 90, 200])
    let scaled = try Scaler(to: Scaler.Output(size: large)).scale(picture)
    #expect(Self.values(of: scaled) == [[luma], [90], [200]])
    #expect(scaled.width == 320 && scaled.height == 180)
  }

  @Test(arguments: [(0, 16), (255, 235), (128, 126)] as [(UInt8, UInt8)])
  func `full range becomes limited`(full: UInt8, limited: UInt8) throws {
    let picture = try Self.picture(.yuvj420p, size: small, samples: [full, 128, 128])
    for size in [small, large] {
      let scaled = try Scaler(to: Scaler.Output(size: size)).scale(picture)
      #expect(Self.values(of: scaled) == [[limited], [128], [128]])
      #expect(scaled.colour.range == "tv")
    }
  }

  @Test func `full range by tag becomes limited too`() throws {
    let picture = try Self.picture(
      .yuv420p, size: small, samples: [255, 128, 128],
      tags: ColourTags(primaries: nil, transfer: nil, matrix: nil, range: "pc"))
    let scaled = try Scaler(to: Scaler.Output(size: small)).scale(picture)
    #expect(Self.values(of: scaled) == [[235], [128], [128]])
  }

  @Test func `another matrix keeps grey grey and moves colours`() throws {
    let tags = ColourTags(primaries: nil, transfer: nil, matrix: "smpte170m", range: "tv")
    let scaler = Scaler(to: Scaler.Output(size: small, matrix: "bt709"))
    // Pure red of BT.601 is (81, 90, 240); of BT.709 it is (63, 102, 240).
    let red = try scaler.scale(
      try Self.picture(.yuv420p, size: small, samples: [81, 90, 240], tags: tags))
    let planes = Self.values(of: red)
    #expect(planes[0].isSubset(of: [62, 63, 64]))
    #expect(planes[1].isSubset(of: [101, 102, 103]))
    #expect(planes[2].isSubset(of: [239, 240]))
    #expect(red.colour.matrix == "bt709")
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
