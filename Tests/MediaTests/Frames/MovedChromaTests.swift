import Media
import Support
import Testing
import Timeline

/// Chroma that moves without scaling the picture.
@Suite(.mayBlock) struct MovedChromaTests {
  private let size = PixelSize(width: 64, height: 48)

  private static let sites = [
    (across: 0, down: 128), (128, 128), (0, 0), (128, 0), (0, 256), (128, 256), (256, 128),
  ].map { ChromaSite(across: $0.0, down: $0.1) }

  /// A picture of noise, and the samples of its first plane of chroma.
  private func noise(_ format: PixelFormat, depth: Int, at site: ChromaSite) throws
    -> (picture: Frame, chroma: [[Int]])
  {
    let picture = try Frame(width: size.width, height: size.height, pixelFormat: format)
    picture.chromaSite = site
    var random = SeededRandom(seed: 3)
    var chroma: [[Int]] = []
    let values = (30 << (depth - 8))...(220 << (depth - 8))
    func fill<Sample: PictureSample>(_ sample: Sample.Type) throws {
      try picture.withUnsafeMutablePlanes(of: Sample.self) { planes in
        for (number, plane) in planes.enumerated() {
          let rows = (0..<plane.height).map { _ in
            (0..<plane.width).map { _ in Int.random(in: values, using: &random) }
          }
          for (y, row) in rows.enumerated() {
            for (x, value) in row.enumerated() { plane.base[y * plane.stride + x] = Sample(value) }
          }
          if number == 1 { chroma = rows }
        }
      }
    }
    if depth > 8 { try fill(UInt16.self) } else { try fill(UInt8.self) }
    return (picture, chroma)
  }

  private func samples(_ picture: Frame, plane: Int, depth: Int) throws -> [[Int]] {
    func read<Sample: PictureSample>(_ sample: Sample.Type) throws -> [[Int]] {
      try picture.withUnsafePlanes(of: Sample.self) { planes in
        (0..<planes[plane].height).map { y in
          (0..<planes[plane].width).map { Int(planes[plane].base[y * planes[plane].stride + $0]) }
        }
      }
    }
    return depth > 8 ? try read(UInt16.self) : try read(UInt8.self)
  }

  /// The cubic around a place in a plane whose edges are repeated.
  private func cubic(_ plane: [[Int]], _ u: Double, _ v: Double) -> Double {
    KeysCubic.value(at: u, v) { x, y in
      let row = plane[min(max(y, 0), plane.count - 1)]
      return Double(row[min(max(x, 0), row.count - 1)])
    }
  }

  @Test(
    arguments: [
      ("yuv420p", 8, "yuv420p", 8), ("yuv420p10le", 10, "yuv420p10le", 10),
      ("yuv420p10le", 10, "yuv420p", 8), ("yuv420p", 8, "yuv420p10le", 10),
      ("yuvj420p", 8, "yuv420p", 8),
    ], sites)
  func `chroma is interpolated at its new location`(
    formats: (String, Int, String, Int), site: ChromaSite
  ) throws {
    let (depth, wantedDepth) = (formats.1, formats.3)
    let source = try #require(PixelFormat.named(formats.0))
    let target = try #require(PixelFormat.named(formats.2))
    let (picture, chroma) = try noise(source, depth: depth, at: site)
    let scale = Double(1 << wantedDepth) / Double(1 << depth)
    for wanted in Self.sites {
      let scaler = Scaler(
        to: Scaler.Output(size: size, pixelFormat: target, keepsRange: true, chroma: wanted))
      let moved = try scaler.scale(picture)
      let result = try samples(moved, plane: 1, depth: wantedDepth)
      // A picture cannot declare that its chroma is at the right.
      let from = site.across == 256 ? ChromaSite.left : site
      let (right, down) = (
        Double(wanted.across - from.across) / 512, Double(wanted.down - from.down) / 512
      )
      var worst = 0.0
      for y in 0..<24 {
        for x in 0..<32 {
          let exact = scale * cubic(chroma, Double(x) + right, Double(y) + down)
          worst = max(worst, abs(Double(result[y][x]) - exact))
        }
      }
      // The error is that of rounding, once or, if bits are lost, twice.
      #expect(worst <= (wantedDepth < depth ? 1 : 0.5) + 1e-9, "\(from) to \(wanted)")
      if wantedDepth == depth {
        #expect(
          try samples(moved, plane: 0, depth: depth) == samples(picture, plane: 0, depth: depth))
      }
      if wanted == from, source == target { #expect(moved === picture) }
      if wanted.across < 256 { #expect(moved.chromaSite == wanted) }
    }
  }

  @Test func `chroma that is not moved keeps its tag`() throws {
    let site = ChromaSite(across: 0, down: 0)
    let (picture, chroma) = try noise(.yuv420p, depth: 8, at: site)
    let scaled = try Scaler(
      to: Scaler.Output(size: size, pixelFormat: .yuv420p10, keepsRange: true, chroma: nil)
    ).scale(picture)
    #expect(scaled.chromaSite == site)
    #expect(try samples(scaled, plane: 1, depth: 10).map { $0.map { $0 >> 2 } } == chroma)
  }
}
