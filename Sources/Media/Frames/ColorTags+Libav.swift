import CFFmpeg
import Timeline

extension ColorTags {
  /// Creates tags from libav's numbers; "unspecified" and "reserved" count as unknown.
  init(
    primaries: AVColorPrimaries, transfer: AVColorTransferCharacteristic, matrix: AVColorSpace,
    range: AVColorRange
  ) {
    self.init(
      primaries: Self.known(av_color_primaries_name(primaries)),
      transfer: Self.known(av_color_transfer_name(transfer)),
      matrix: Self.known(av_color_space_name(matrix)),
      range: Self.known(av_color_range_name(range)))
  }

  private static func known(_ name: UnsafePointer<CChar>?) -> String? {
    guard let name = name.map({ String(cString: $0) }) else { return nil }
    return ["unknown", "reserved", "unspecified"].contains(name) ? nil : name
  }

  /// The primaries as libav's number.
  var libavPrimaries: AVColorPrimaries {
    AVColorPrimaries(UInt32(bitPattern: number(primaries, av_color_primaries_from_name, 2)))
  }

  /// The transfer characteristic as libav's number.
  var libavTransfer: AVColorTransferCharacteristic {
    AVColorTransferCharacteristic(
      UInt32(bitPattern: number(transfer, av_color_transfer_from_name, 2)))
  }

  /// The matrix as libav's number.
  var libavMatrix: AVColorSpace {
    AVColorSpace(UInt32(bitPattern: number(matrix, av_color_space_from_name, 2)))
  }

  /// The range as libav's number.
  var libavRange: AVColorRange {
    AVColorRange(UInt32(bitPattern: number(range, av_color_range_from_name, 0)))
  }

  private func number(
    _ name: String?, _ lookUp: (UnsafePointer<CChar>?) -> Int32, _ unknown: Int32
  ) -> Int32 {
    guard let name else { return unknown }
    let number = lookUp(name)
    return number < 0 ? unknown : number
  }
}

extension Frame {
  /// The color tags of a decoded picture.
  public var color: ColorTags {
    ColorTags(
      primaries: pointer.pointee.color_primaries, transfer: pointer.pointee.color_trc,
      matrix: pointer.pointee.colorspace, range: pointer.pointee.color_range)
  }

  /// Replaces the color tags.
  public func setColor(_ tags: ColorTags) {
    pointer.pointee.color_primaries = tags.libavPrimaries
    pointer.pointee.color_trc = tags.libavTransfer
    pointer.pointee.colorspace = tags.libavMatrix
    pointer.pointee.color_range = tags.libavRange
  }
}
