/// How a clip of a sequence fills the frame.
public enum Fit: String, Hashable, Codable, Sendable, CaseIterable {
  /// As large as it goes, with the background beside it.
  case contain
  /// As small as it may be to fill the frame; what is beyond is cut off.
  case cover
  /// As ``contain``, over a blurred copy of itself that fills the frame.
  case blur
}
