import CFFmpeg
import CHEIF

/// A picture that libheif has decoded to interleaved RGB.
final class HEIFImage {
  private let image: OpaquePointer

  /// Takes ownership of a decoded picture.
  init(_ image: OpaquePointer) { self.image = image }

  deinit { heif_image_release(image) }

  /// The width in pixels.
  var width: Int { Int(heif_image_get_width(image, heif_channel_interleaved)) }
  /// The height in pixels.
  var height: Int { Int(heif_image_get_height(image, heif_channel_interleaved)) }

  /// Copies interleaved RGB, with alpha if there is one. Samples deeper than 8 bits are scaled to 16 bits.
  ///
  /// - Throws: ``MediaError`` if the pixels do not match the layout.
  func copyPixels(
    _ layout: PictureLayout, to target: UnsafeMutableRawBufferPointer, named name: String
  ) throws(MediaError) {
    var stride: Int32 = 0
    let rowLength = target.count / max(layout.height, 1)
    guard let rows = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride),
      height == layout.height, Int(stride) >= rowLength
    else {
      throw MediaError(
        .damaged, "the picture's pixels do not match its header", on: name,
        remedy: "convert it to JPEG or PNG")
    }
    for row in 0..<height {
      UnsafeMutableRawBufferPointer(rebasing: target[row * rowLength..<(row + 1) * rowLength])
        .copyMemory(
          from: UnsafeRawBufferPointer(start: rows + row * Int(stride), count: rowLength))
    }
    let depth = Int(heif_image_get_bits_per_pixel_range(image, heif_channel_interleaved))
    guard depth > 8, depth < 16 else { return }
    let samples = target.bindMemory(to: UInt16.self)
    for place in samples.indices {
      samples[place] = samples[place] << (16 - depth) | samples[place] >> (2 * depth - 16)
    }
  }
}
