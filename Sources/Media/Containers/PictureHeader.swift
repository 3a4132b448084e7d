import Timeline

/// Reads the size of a PNG, BMP or JPEG image from its header.
///
/// libav does not report the size of images with about 268 million pixels or more.
struct PictureHeader {
  private let reader: BoxReader

  /// The maximum number of segments before a JPEG image's size.
  private static let segmentLimit = 1000
  /// The lengths of BMP's second header in its versions, in bytes.
  private static let bitmapHeaders: Set = [12, 40, 52, 56, 64, 108, 124]

  /// Checks that an image can be decoded. Does nothing for other files.
  ///
  /// - Throws: ``MediaError`` with code `unsupportedCodec` if it is too large, or `readFailed`.
  static func checkSize(of source: any ByteSource, named name: String) throws(MediaError) {
    let header = PictureHeader(reader: BoxReader(source: source, name: name))
    guard let size = try header.size() else { return }
    try AllowedDecoders.checkSize(width: size.width, height: size.height, on: name)
  }

  /// The size in pixels; `nil` if the file is not such an image.
  private func size() throws(MediaError) -> PixelSize? {
    let head = try reader.bytes(at: 0, count: 26)
    guard head.count == 26 else { return nil }
    if head.starts(with: PNGChunks.signature) {
      // The first chunk is the header: its length, its type, width and height.
      return PixelSize(width: Self.big(head[16..<20]), height: Self.big(head[20..<24]))
    }
    if head.starts(with: [0xFF, 0xD8, 0xFF]) { return try photoSize() }
    if head.starts(with: Array("BM".utf8)) { return Self.bitmapSize(head) }
    return nil
  }

  /// The size of a BMP image. Rows that are stored from the top have a negative height.
  private static func bitmapSize(_ head: [UInt8]) -> PixelSize? {
    let length = little(head[14..<18])
    guard bitmapHeaders.contains(length) else { return nil }
    if length == 12 {
      return PixelSize(width: little(head[18..<20]), height: little(head[20..<22]))
    }
    let (width, height) = (little(head[18..<22]), little(head[22..<26]))
    return PixelSize(
      width: width & 0x7FFF_FFFF, height: Int(Int32(truncatingIfNeeded: height).magnitude))
  }

  /// The size of a JPEG image, from its frame header (ITU-T T.81, B.2.2).
  private func photoSize() throws(MediaError) -> PixelSize? {
    var offset: Int64 = 2
    for _ in 0..<Self.segmentLimit {
      // A segment: its marker, its length, and its bytes.
      let head = try reader.bytes(at: offset, count: 9)
      guard head.count == 9, head[0] == 0xFF else { return nil }
      switch head[1] {
      case 0xFF: offset += 1
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        return PixelSize(width: Self.big(head[7..<9]), height: Self.big(head[5..<7]))
      case 0xDA: return nil
      default: offset += 2 + Int64(Self.big(head[2..<4]))
      }
    }
    return nil
  }

  /// A number of up to 31 bits, the highest byte first.
  private static func big(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
  }

  /// A number, the lowest byte first.
  private static func little(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
