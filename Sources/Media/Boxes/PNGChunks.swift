import CFFmpeg

/// The chunks of PNG images (W3C Portable Network Graphics, 5.3) that Sheaf does not use: texts and color profiles.
///
/// A few kilobytes of them may inflate to gigabytes, libav's decoder inflates them entirely, and its time grows with the
/// square of the number of texts.
enum PNGChunks {
  /// The first bytes of a PNG image.
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The most chunks that an image may have.
  static let limit = 100_000
  /// The types of the unused chunks.
  static let unused: Set<[UInt8]> = Set(
    ["zTXt", "iTXt", "tEXt", "iCCP", hiddenType].map { Array($0.utf8) })
  /// An ancillary, private, safe-to-copy type that ``PNGSource`` gives to unused chunks.
  static let hiddenType = "prVt"

  /// The error for an image with more chunks than ``limit``.
  static func tooMany(in name: String) -> MediaError {
    MediaError(
      .damaged, "the PNG image has more than \(limit) chunks", on: name,
      remedy: "save it again with an image editor")
  }

  /// Returns an image without its unused chunks, or `nil` if it has none.
  ///
  /// - Parameters:
  ///   - first: the offset of the first chunk, after the signature.
  ///   - name: the asset's name in messages.
  static func withoutUnused(
    _ image: UnsafeRawBufferPointer, from first: Int, named name: String
  ) throws(MediaError) -> [UInt8]? {
    var dropped: [Range<Int>] = []
    var (count, offset) = (0, first)
    // A chunk: its length, its type, its bytes, and a checksum.
    while offset + 8 <= image.count {
      count += 1
      guard count <= limit else { throw tooMany(in: name) }
      let length = image[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = min(offset + 12 + length, image.count)
      if unused.contains(Array(image[offset + 4..<offset + 8])) { dropped.append(offset..<end) }
      offset = end
    }
    guard !dropped.isEmpty else { return nil }
    var (kept, position) = ([UInt8](), 0)
    for range in dropped {
      kept += image[position..<range.lowerBound]
      position = range.upperBound
    }
    return kept + image[position...]
  }

  /// Returns a packet without unused chunks: the same one if it has none, or if the decoder is for another codec.
  static func withoutUnused(
    _ packet: Packet, for decoder: UnsafePointer<AVCodecContext>, named name: String
  ) throws(MediaError) -> Packet {
    guard let first = firstChunk(of: decoder.pointee.codec_id),
      let data = packet.pointer.pointee.data
    else { return packet }
    let image = UnsafeRawBufferPointer(start: data, count: packet.count)
    guard let kept = try withoutUnused(image, from: first, named: name) else { return packet }
    return try Packet(bytes: kept, like: packet)
  }

  /// Removes unused chunks from the parameters of an APNG decoder, which hold all chunks before the first frame.
  static func removeUnused(
    fromParametersOf decoder: UnsafeMutablePointer<AVCodecContext>, named name: String
  ) throws(MediaError) {
    guard decoder.pointee.codec_id == AV_CODEC_ID_APNG, let data = decoder.pointee.extradata else {
      return
    }
    let chunks = UnsafeRawBufferPointer(start: data, count: Int(decoder.pointee.extradata_size))
    guard let kept = try withoutUnused(chunks, from: 0, named: name) else { return }
    // They are fewer bytes than before.
    data.update(from: kept, count: kept.count)
    decoder.pointee.extradata_size = Int32(kept.count)
  }

  /// The offset of the first chunk in a packet; `nil` for other codecs.
  private static func firstChunk(of codec: AVCodecID) -> Int? {
    switch codec {
    case AV_CODEC_ID_PNG: signature.count
    case AV_CODEC_ID_APNG: 0
    default: nil
    }
  }
}
