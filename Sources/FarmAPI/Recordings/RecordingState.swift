/// The state of a recording. The states follow one another in this order; the last two are final.
public enum RecordingState: String, Hashable, Codable, Sendable, CaseIterable {
  /// The source has sent nothing that can be recorded yet.
  case preparing = "preparing"
  /// The source is being recorded.
  case recording = "recording"
  /// The source is closed, and the finished files are being written.
  case finishing = "finishing"
  /// The files are finished.
  case finished = "finished"
  /// The recording failed; its failure states the reason. Its files contain everything that was recorded before, unless
  /// the disk was full.
  case failed = "failed"

  /// Whether the source is being received, or will be.
  public var isOpen: Bool { self == .preparing || self == .recording }
  /// Whether the recording has ended.
  public var isFinal: Bool { self == .finished || self == .failed }
}
