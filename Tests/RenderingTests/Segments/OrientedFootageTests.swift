import Foundation
import Support
import Testing
import Timeline

/// Display matrix, pixel aspect ratio and clean aperture, from the file through probing, derivation, planning and
/// rendering to the decoded frame.
@Suite(.mayBlock) struct OrientedFootageTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The eight display matrices that map pixels onto pixels.
  static let matrices = [
    (1, 0, 0, 1), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0),
    (-1, 0, 0, 1), (0, 1, 1, 0), (1, 0, 0, -1), (0, -1, -1, 0),
  ].map { [$0.0, $0.1, $0.2, $0.3] }

  private func render(_ path: String) throws -> (size: PixelSize, frame: DecodedFrame) {
    try DerivedRendering.secondFrame(of: path, in: folder)
  }

  /// The picture that a viewer sees, for square pixels: the display matrix maps each stored pixel to a shown one.
  private static func upright(
    _ luma: [[Int]], _ matrix: [Int]
  ) -> [[Int]] {
    let (width, height) = (luma[0].count, luma.count)
    let swaps = matrix[0] == 0
    let size = swaps ? (height, width) : (width, height)
    var shown = [[Int]](repeating: [Int](repeating: 0, count: size.0), count: size.1)
    for y in 0..<height {
      for x in 0..<width {
        var at = (x * matrix[0] + y * matrix[2], x * matrix[1] + y * matrix[3])
        if matrix[0] + matrix[2] < 0 { at.0 += size.0 - 1 }
        if matrix[1] + matrix[3] < 0 { at.1 += size.1 - 1 }
        shown[at.1][at.0] = luma[y][x]
      }
    }
    return shown
  }

  /// A level for every pixel that differs from those of all pixels nearby.
  private static func pattern(_ width: Int, _ height: Int) -> [[Int]] {
    (0..<height).map { y in (0..<width).map { x in 20 + (x * 3 + y * 7) % 200 } }
  }

  @Test(arguments: matrices) func `each display matrix moves every pixel to its place`(
    matrix: [Int]
  ) throws {
    let luma = Self.pattern(64, 48)
    let path = folder.path("clip.mp4")
    try TurnedClip(
      width: 64, height: 48, matrix: (matrix[0], matrix[1], matrix[2], matrix[3])
    ).write(luma.flatMap { $0.map { UInt8($0) } }, to: path)
    let (size, frame) = try render(path)
    let shown = Self.upright(luma, matrix)
    #expect(size == PixelSize(width: shown[0].count, height: shown.count))
    #expect(frame.luma == shown.flatMap { $0.map { UInt8($0) } })
  }

  @Test(arguments: matrices) func `a clean aperture is cut out before the picture is rotated`(
    matrix: [Int]
  ) throws {
    let luma = Self.pattern(64, 48)
    let path = folder.path("clip.mp4")
    try TurnedClip(
      width: 64, height: 48, matrix: (matrix[0], matrix[1], matrix[2], matrix[3]),
      aperture: (48, 32)
    ).write(luma.flatMap { $0.map { UInt8($0) } }, to: path)
    let (size, frame) = try render(path)
    let inside = luma[8..<40].map { Array($0[8..<56]) }
    let shown = Self.upright(inside, matrix)
    #expect(size == PixelSize(width: shown[0].count, height: shown.count))
    #expect(frame.luma == shown.flatMap { $0.map { UInt8($0) } })
  }

  @Test(arguments: matrices, ["2", "1/2", "4/3"])
  func `non-square pixels are stretched along the stored rows`(
    matrix: [Int], ratio: String
  ) throws {
    // Slopes stay slopes when they are stretched, so each value identifies its original place.
    func level(_ x: Double, _ y: Double) -> Double { 40 + x * 1.5 + y * 0.75 }
    let luma = (0..<72).map { y in
      (0..<96).map { x in Int(level(Double(x) + 0.5, Double(y) + 0.5).rounded()) }
    }
    let path = folder.path("clip.mp4")
    try TurnedClip(
      width: 96, height: 72, matrix: (matrix[0], matrix[1], matrix[2], matrix[3]),
      pixelAspectRatio: ratio, aperture: (80, 64)
    ).write(luma.flatMap { $0.map { UInt8($0) } }, to: path)
    let (size, frame) = try render(path)
    let aspect = try RationalTime(ratio).seconds
    let (width, height) = (80 * aspect, 64.0)
    let swaps = matrix[0] == 0
    // Sides are rounded to even ones.
    #expect(abs(Double(size.width) - (swaps ? height : width)) <= 1)
    #expect(abs(Double(size.height) - (swaps ? width : height)) <= 1)
    let upright = (Double(size.width), Double(size.height))
    var worst = 0.0
    for row in 4..<size.height - 4 {
      for column in 4..<size.width - 4 {
        // Back from the shown place to the stored one: the matrix's inverse is its transpose.
        var at = (Double(column) + 0.5, Double(row) + 0.5)
        if matrix[0] + matrix[2] < 0 { at.0 -= upright.0 }
        if matrix[1] + matrix[3] < 0 { at.1 -= upright.1 }
        let x = at.0 * Double(matrix[0]) + at.1 * Double(matrix[1])
        let y = at.0 * Double(matrix[2]) + at.1 * Double(matrix[3])
        let stored = (
          8 + x * 80 / (swaps ? upright.1 : upright.0),
          4 + y * 64 / (swaps ? upright.0 : upright.1)
        )
        let wanted = level(stored.0, stored.1)
        worst = max(worst, abs(Double(frame.row(row)[column]) - wanted))
      }
    }
    // Half a code value of the source's own rounding, and one of the result.
    #expect(worst <= 1.5, "off by \(worst)")
  }

  @Test(.needsSharedMedia) func `real footage is rotated as ffmpeg rotates it`() throws {
    let (path, filter) = (SharedMedia.path("ax_sample_rot180.mp4"), "hflip,vflip")
    let (size, frame) = try render(path)
    let bytes = [UInt8](
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-noautorotate", "-i", path, "-vf", filter, "-frames:v", "2", "-f",
          "rawvideo", "-pix_fmt", "yuv420p", "-",
        ]))
    let count = size.width * size.height
    try #require(bytes.count == 3 * count)
    let luma = bytes[count * 3 / 2..<count * 5 / 2]
    // Both have the same matrix, so no sample is changed.
    #expect(frame.luma == Array(luma))
  }

  @Test(
    .needsSharedMedia,
    arguments: [
      ("rails_SAR3-2.mp4", 1920, 1080), ("ax_bbb_avc_pyramid_3b_SAR.mp4", 1138, 640),
      ("mb_SAR2-1.mp4", 1280, 360),
    ])
  func `real footage with wide pixels has its intended width`(
    name: String, width: Int, height: Int
  ) throws {
    let path = SharedMedia.path(name)
    let (size, frame) = try render(path)
    #expect(size == PixelSize(width: width, height: height))
    let bytes = [UInt8](
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-i", path, "-vf", "scale=\(width):\(height):flags=bicubic",
          "-frames:v", "2", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-",
        ]))
    let count = width * height
    try #require(bytes.count == 3 * count)
    let luma = bytes[count * 3 / 2..<count * 5 / 2]
    let error = zip(frame.luma, luma).reduce(0.0) { sum, pair in
      let difference = Double(pair.0) - Double(pair.1)
      return sum + difference * difference
    }
    let ratio = 10 * log10(255 * 255 / max(error / Double(count), 1e-9))
    #expect(ratio >= 40, "\(ratio) dB")
  }
}
