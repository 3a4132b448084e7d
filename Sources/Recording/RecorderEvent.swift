/// A report on the progress of a recording, from the recording process to the coordinator.
public enum RecorderEvent: Hashable, Codable, Sendable {
  case began(RecordedPart)
  /// A fragment of a part is complete on disk.
  case wrote(part: Int, RecordedFragment)
  /// The part will have no more fragments. The losses are those of the whole part.
  case ended(part: Int, RecordingLosses)
  /// A stream of the source is not recorded, for this reason.
  case ignored(String)
}
