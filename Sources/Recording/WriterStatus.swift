/// The state of a recording writer.
public enum WriterStatus: String, Hashable, Sendable, CaseIterable {
  /// Tracks can be added.
  case idle = "idle"
  /// The writer waits for the sample that starts the session.
  case preparing = "preparing"
  /// The writer keeps samples.
  case recording = "recording"
  /// The writer accepts no more samples, and writes those that it has.
  case finishing = "finishing"
  /// Everything is on disk.
  case finished = "finished"
  /// The recording failed. The fragments that were committed before remain.
  case failed = "failed"
  /// The recording was cancelled, and its files are removed.
  case cancelled = "cancelled"

  /// Whether the state is final.
  public var isFinal: Bool { [.finished, .failed, .cancelled].contains(self) }
}
