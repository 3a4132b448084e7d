/// Which fields a picture has (`enum v4l2_field` of <linux/videodev2.h>).
package struct VideoField: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  static let any = VideoField(rawValue: 0)
  static let progressive = VideoField(rawValue: 1)
  static let interlaced = VideoField(rawValue: 4)
  static let interlacedTopFirst = VideoField(rawValue: 8)
  static let interlacedBottomFirst = VideoField(rawValue: 9)

  /// Whether a picture has the lines of both fields in their places.
  var isWholePicture: Bool { order(height: 0) != nil }

  /// The order of the fields; `nil` if they are not in one picture.
  ///
  /// - Parameter height: of the picture. If the driver does not state the order, it is that of the signal's standard:
  ///   NTSC, which has 480 to 486 visible lines, sends the bottom field first.
  package func order(height: Int) -> CapturedVideoFormat.FieldOrder? {
    switch self {
    case .progressive: .progressive
    case .interlaced: (480...486).contains(height) ? .bottomFirst : .topFirst
    case .interlacedTopFirst: .topFirst
    case .interlacedBottomFirst: .bottomFirst
    default: nil
    }
  }
}
