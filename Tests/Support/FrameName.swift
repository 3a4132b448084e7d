/// The name that a frame-naming clip paints into each frame: the source's id, and the frame's number in the source.
///
/// 32 black or white blocks, eight per row: eight bits of source, sixteen of number, eight of checksum.
public struct FrameName: Hashable, Sendable, CustomStringConvertible {
  /// The source's id, 0 to 255.
  public let source: Int
  /// The frame's number in the source, 0 to 65535.
  public let frame: Int

  /// Creates a name.
  public init(source: Int, frame: Int) {
    self.source = source
    self.frame = frame
  }

  /// E.g. `3:17`.
  public var description: String { "\(source):\(frame)" }

  static let columns = 8
  static let rows = 4

  /// The blocks row by row, `true` for white.
  var blocks: [Bool] {
    let code = UInt32(source & 0xFF) << 24 | UInt32(frame & 0xFFFF) << 8 | Self.check(source, frame)
    return (0..<32).map { code >> (31 - $0) & 1 == 1 }
  }

  /// Reads a name from blocks. Returns `nil` if the checksum does not match.
  init?(blocks: [Bool]) {
    let code = blocks.reduce(UInt32(0)) { $0 << 1 | ($1 ? 1 : 0) }
    self.init(source: Int(code >> 24), frame: Int(code >> 8 & 0xFFFF))
    guard blocks.count == 32, code & 0xFF == Self.check(source, frame) else { return nil }
  }

  /// The checksum. It is not 0 for source 0, frame 0, so that a black frame has no name.
  private static func check(_ source: Int, _ frame: Int) -> UInt32 {
    let (low, high) = (frame & 0xFF, frame >> 8)
    let sum: Int = source * 37 + low * 11 + high * 91 + 0x5A
    return UInt32(sum & 0xFF)
  }

  /// The frame's luma, 16 and 235, `width` by `height`.
  public func luma(width: Int, height: Int) -> [UInt8] {
    let blocks = blocks
    var picture = [UInt8](repeating: 0, count: width * height)
    for y in 0..<height {
      let row = y * Self.rows / height * Self.columns
      for x in 0..<width {
        picture[y * width + x] = blocks[row + x * Self.columns / width] ? 235 : 16
      }
    }
    return picture
  }

  /// Reads the name from the luma of a frame. Returns `nil` if any block is gray or the checksum does not match.
  ///
  /// `area` is the part of the picture that shows the source frame, in pixels: `(x, y, width, height)`.
  public static func read(
    _ luma: ArraySlice<UInt8>, width: Int, area: (x: Int, y: Int, width: Int, height: Int)
  ) -> FrameName? {
    var blocks: [Bool] = []
    for row in 0..<rows {
      for column in 0..<columns {
        // Only the middle half of the block in each direction, away from scaling and coding artifacts at its edges.
        let left = area.x + (4 * column + 1) * area.width / (4 * columns)
        let right = area.x + (4 * column + 3) * area.width / (4 * columns)
        let top = area.y + (4 * row + 1) * area.height / (4 * rows)
        let bottom = area.y + (4 * row + 3) * area.height / (4 * rows)
        var sum = 0
        for y in top..<bottom {
          for x in left..<right { sum += Int(luma[luma.startIndex + y * width + x]) }
        }
        let mean = sum / max(1, (bottom - top) * (right - left))
        guard mean < 80 || mean > 175 else { return nil }
        blocks.append(mean > 128)
      }
    }
    return FrameName(blocks: blocks)
  }
}
