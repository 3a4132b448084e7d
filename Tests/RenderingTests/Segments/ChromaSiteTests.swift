import Foundation
import Support
import Testing
import Timeline

/// The output's chroma is left-sited, wherever it lies in the source and however the source is turned.
@Suite(.mayBlock) struct ChromaSiteTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The positions of H.264's chroma types among two pixels across and down, in pixels from the center of the first one
  /// (H.264, figure E-1).
  private static let sites = [(0.0, 0.5), (0.5, 0.5), (0, 0), (0.5, 0), (0, 1), (0.5, 1)]

  /// A plane of chroma with a value for each column and row.
  private struct Chroma {
    var width: Int
    var height: Int
    var value: (Int, Int) -> Int

    var samples: [UInt8] {
      (0..<height).flatMap { y in (0..<width).map { UInt8(value($0, y)) } }
    }

    private func sample(_ x: Int, _ y: Int) -> Double {
      Double(value(min(max(x, 0), width - 1), min(max(y, 0), height - 1)))
    }

    /// The cubic interpolation at a position in samples.
    func cubic(_ u: Double, _ v: Double) -> Double {
      KeysCubic.value(at: u, v, of: sample)
    }
  }

  /// The maximum difference between the chroma of an upright frame and `value` at its position in the stored picture,
  /// in pixels from the top left. Positions less than `margin` chroma samples from an edge are left out.
  private func errors(
    of plane: [UInt8], size: PixelSize, stored: (width: Double, height: Double), matrix: [Int],
    margin: Int = 0, value: (Double, Double) -> Double
  ) -> [Double] {
    let (width, height) = (size.width / 2, size.height / 2)
    let swaps = matrix[0] == 0
    let scale = (
      stored.width / Double(swaps ? size.height : size.width),
      stored.height / Double(swaps ? size.width : size.height)
    )
    return (margin..<height - margin).flatMap { row in
      (margin..<width - margin).map { column in
        // Left-sited: in the middle of the left column, halfway between the rows.
        var at = (Double(2 * column) + 0.5, Double(2 * row) + 1)
        if matrix[0] + matrix[2] < 0 { at.0 -= Double(size.width) }
        if matrix[1] + matrix[3] < 0 { at.1 -= Double(size.height) }
        let x = (at.0 * Double(matrix[0]) + at.1 * Double(matrix[1])) * scale.0
        let y = (at.0 * Double(matrix[2]) + at.1 * Double(matrix[3])) * scale.1
        return abs(Double(plane[row * width + column]) - value(x, y))
      }
    }
  }

  @Test(arguments: OrientedFootageTests.matrices, Array(sites.indices))
  func `chroma of each location is in the right place in each orientation`(matrix: [Int], type: Int)
    throws
  {
    var random = SeededRandom(seed: 7)
    let noise = (0..<2).map { _ in
      (0..<24 * 32).map { _ in Int.random(in: 60...196, using: &random) }
    }
    let planes = noise.map { noise in
      Chroma(width: 32, height: 24) { noise[$1 * 32 + $0] }
    }
    let path = folder.path("clip.mp4")
    try TurnedClip(
      width: 64, height: 48, matrix: (matrix[0], matrix[1], matrix[2], matrix[3])
    ).write(
      [UInt8](repeating: 100, count: 64 * 48), chroma: planes.flatMap(\.samples), site: type,
      to: path)
    let (size, frame) = try DerivedRendering.secondFrame(of: path, in: folder)
    let site = Self.sites[type]
    for (plane, chroma) in zip([frame.cb, frame.cr], planes) {
      let errors = errors(of: plane, size: size, stored: (64, 48), matrix: matrix) { x, y in
        chroma.cubic((x - 0.5 - site.0) / 2, (y - 0.5 - site.1) / 2)
      }
      #expect(errors.count == 32 * 24)
      // The rounding error.
      #expect(errors.allSatisfy { $0 <= 0.5 + 1e-9 }, "off by \(errors.max() ?? 0)")
    }
    #expect(Set(frame.luma) == [100])
  }

  @Test(
    arguments: OrientedFootageTests.matrices,
    [("yuv420p", "1"), ("yuv420p", "2"), ("yuv422p", "1"), ("yuv422p", "2")])
  func `scaled chroma, and chroma in every row, is in the right place in each orientation`(
    matrix: [Int], stored: (format: String, ratio: String)
  ) throws {
    let (format, ratio) = stored
    // Slopes stay slopes, so each value identifies its original place.
    func level(_ x: Double, _ y: Double) -> Double { 16 + 1.5 * x + y }
    let shift = format == "yuv420p" ? 2 : 1
    let chroma = Chroma(width: 48, height: 72 / shift) { x, y in
      Int(level(Double(2 * x) + 0.5, Double(shift * y) + Double(shift) / 2).rounded())
    }
    let path = folder.path("clip.mp4")
    try TurnedClip(
      width: 96, height: 72, matrix: (matrix[0], matrix[1], matrix[2], matrix[3]),
      pixelAspectRatio: ratio
    ).write(
      [UInt8](repeating: 100, count: 96 * 72), chroma: chroma.samples + chroma.samples,
      as: format, to: path)
    let (size, frame) = try DerivedRendering.secondFrame(of: path, in: folder)
    for plane in [frame.cb, frame.cr] {
      let errors = errors(
        of: plane, size: size, stored: (96, 72), matrix: matrix, margin: 4, value: level)
      #expect(errors.count > 500)
      // Half a code value of the source's own rounding, and one of the result.
      #expect(errors.allSatisfy { $0 <= 1 }, "off by \(errors.max() ?? 0)")
    }
  }
}
