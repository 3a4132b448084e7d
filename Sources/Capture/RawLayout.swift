/// The layout of a picture without compression. The raw value is libav's name of the pixel format.
///
/// The planes follow each other without gaps. The lines of a chroma plane are as long as those of the first plane in
/// `nv12`, `nv21`, `nv16` and `p010le`, and half as long in `yuv420p` and `yuv422p`.
public enum RawLayout: String, Hashable, Sendable, CaseIterable {
  case nv12, nv21, yuv420p
  case yuyv422, uyvy422, yvyu422, nv16, yuv422p
  case p010le
  case rgb24, bgr24, bgr0, rgb0
  case gray

  /// Whether the samples are red, green and blue.
  public var isRGB: Bool {
    switch self {
    case .rgb24, .bgr24, .bgr0, .rgb0: true
    default: false
    }
  }

  /// The bytes of the shortest line of the first plane.
  package func bytesPerLine(width: Int) -> Int {
    switch self {
    case .nv12, .nv21, .yuv420p, .nv16, .yuv422p, .gray: width
    case .yuyv422, .uyvy422, .yvyu422: (width + 1) / 2 * 4
    case .p010le: width * 2
    case .rgb24, .bgr24: width * 3
    case .bgr0, .rgb0: width * 4
    }
  }

  /// The bytes of a picture.
  package func size(bytesPerLine: Int, height: Int) -> Int {
    switch self {
    case .nv12, .nv21, .p010le: bytesPerLine * (height + (height + 1) / 2)
    case .yuv420p: bytesPerLine * height + 2 * (bytesPerLine / 2) * ((height + 1) / 2)
    case .nv16: bytesPerLine * height * 2
    case .yuv422p: bytesPerLine * height + 2 * (bytesPerLine / 2) * height
    default: bytesPerLine * height
    }
  }
}
