import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct PictureGeometryTests {
  @Test(
    .needsSharedMedia,
    arguments: [("fc_dv_pal_interlaced.mov", true), ("mb_SAR2-1.mp4", false)])
  func `a clean aperture lies within the coded picture`(name: String, isDeclared: Bool) throws {
    let stream = try Footage.index(of: SharedMedia.path(name)).video[0]
    #expect((stream.cleanAperture != nil) == isDeclared)
    guard let aperture = stream.cleanAperture else { return }
    #expect(aperture.x >= 0 && aperture.x + aperture.width <= Double(stream.size.width))
    #expect(aperture.y >= 0 && aperture.y + aperture.height <= Double(stream.size.height))
  }

  @Test(arguments: [(6, 1, false), (3, 2, false), (2, 0, true), (5, 3, true)])
  func `a photograph's Exif orientation is applied`(
    tag: UInt8, turns: Int, isMirrored: Bool
  ) throws {
    let folder = try TemporaryDirectory()
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "1",
        folder.path("plain.jpg"),
      ])
    let plain = try FileByteSource(path: folder.path("plain.jpg"))
    var bytes = [UInt8](repeating: 0, count: Int(plain.size))
    _ = try bytes.withUnsafeMutableBytes { try plain.read(at: 0, into: $0) }
    // APP1: "Exif", a big-endian TIFF header, and one entry: tag 0x0112, short, count 1.
    let exif: [UInt8] =
      [0x45, 0x78, 0x69, 0x66, 0, 0, 0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3]
      + [0, 0, 0, 1, 0, tag, 0, 0, 0, 0, 0, 0]
    let segment: [UInt8] = [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif
    bytes.insert(contentsOf: segment, at: 2)
    let index = try MediaProber.index(of: MemoryByteSource(bytes: bytes), named: "photo")
    #expect(
      index.video[0].orientation == Orientation(quarterTurns: turns, isMirrored: isMirrored))
  }
}

/// Bytes in memory.
private struct MemoryByteSource: ByteSource {
  let bytes: [UInt8]
  var size: Int64 { Int64(bytes.count) }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard offset < size else { return 0 }
    let part = bytes[Int(offset)...].prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }
}
