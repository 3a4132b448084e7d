import CFFmpeg
import CHEIF

/// The primary picture of a HEIF file, such as HEIC or AVIF, decoded by libheif, with its tiles joined and upright.
///
/// It is RGB of 8 or 16 bits, with alpha if it has any: libheif 1.15 returns the coded luma and chroma only for gray
/// pictures.
final class HEIFPicture: PictureFile {
  let format = "heif"
  let isStillImage = true
  let layout: PictureLayout
  private let name: String
  /// The file's bytes, which the picture refers to.
  private let bytes: PictureBytes
  private let file: HEIFFile
  private let image: HEIFImage
  private var isRead = false

  /// Brands of files whose primary item is a picture.
  private static let brands: Set<String> = [
    "heic", "heix", "heim", "heis", "mif1", "mif2", "avif", "miaf",
  ]

  /// Whether the first bytes of a file are those of a picture. A file that also has a track, a sequence of pictures, is
  /// a video that libav reads.
  static func isRecognized(
    _ head: [UInt8], source: any ByteSource, named name: String
  ) throws -> Bool {
    guard head.count >= 12, head[4...].starts(with: "ftyp".utf8),
      brands.contains(String(decoding: head[8..<12], as: UTF8.self))
    else { return false }
    return try !BoxReader(source: source, name: name).boxes(in: 0..<source.size)
      .contains { $0.type == "moov" }
  }

  /// Opens a file and decodes its picture.
  ///
  /// - Throws: ``MediaError``.
  init(_ bytes: PictureBytes, named name: String) throws {
    self.name = name
    self.bytes = bytes
    file = try HEIFFile(bytes, named: name)
    try AllowedDecoders.checkSize(width: file.width, height: file.height, on: name)
    let isDeep = file.depth > 8
    let chroma =
      file.hasAlpha
      ? isDeep ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RGBA
      : isDeep ? heif_chroma_interleaved_RRGGBB_LE : heif_chroma_interleaved_RGB
    image = try file.decode(heif_colorspace_RGB, chroma)
    let format =
      file.hasAlpha
      ? isDeep ? AV_PIX_FMT_RGBA64LE : AV_PIX_FMT_RGBA
      : isDeep ? AV_PIX_FMT_RGB48LE : AV_PIX_FMT_RGB24
    let color = file.color
    layout = PictureLayout(
      width: image.width, height: image.height, format: format,
      primaries: color?.primaries ?? 2, transfer: color?.transfer ?? 2)
  }

  func seek(to time: Int64) { isRead = false }

  func read(into packet: Packet) throws -> Bool {
    guard !isRead else { return false }
    isRead = true
    try packet.setPicture(layout, time: 0, duration: 0) { target in
      try image.copyPixels(layout, to: target, named: name)
      if file.isPremultiplied {
        Self.divideByAlpha(target, isDeep: layout.format == AV_PIX_FMT_RGBA64LE)
      }
    }
    return true
  }

  /// Converts premultiplied colors to straight alpha.
  private static func divideByAlpha(_ pixels: UnsafeMutableRawBufferPointer, isDeep: Bool) {
    func divide<Sample: FixedWidthInteger & UnsignedInteger>(
      _ samples: UnsafeMutableBufferPointer<Sample>
    ) {
      for start in stride(from: 0, to: samples.count - 3, by: 4) {
        let alpha = UInt32(samples[start + 3])
        guard alpha > 0 else { continue }
        for place in start..<start + 3 {
          let value = (UInt32(samples[place]) * UInt32(Sample.max) + alpha / 2) / alpha
          samples[place] = Sample(clamping: value)
        }
      }
    }
    if isDeep {
      divide(pixels.bindMemory(to: UInt16.self))
    } else {
      divide(pixels.bindMemory(to: UInt8.self))
    }
  }
}
