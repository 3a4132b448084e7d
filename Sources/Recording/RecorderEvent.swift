/// Something that a recorder did.
public enum RecorderEvent: Hashable, Codable, Sendable {
  /// A part began.
  case began(RecordedPart)
  /// A fragment of a part is complete on the disk.
  case wrote(part: Int, RecordedFragment)
  /// A part ended, with these losses.
  case ended(part: Int, RecordingLosses)
  /// A stream of the source is not recorded, for this reason.
  case ignored(String)
}
