/// How a clip of a sequence fills the frame.
public enum Fit: String, Hashable, Codable, Sendable, CaseIterable {
  /// The whole picture, as large as possible, with background beside it.
  case contain = "contain"
  /// As small as possible while filling the frame. The rest is cut off.
  case cover = "cover"
  /// Like ``contain``, over a blurred copy of the picture that fills the frame.
  case blur = "blur"
}
