/// The state of a recording writer.
public enum WriterStatus: String, Hashable, Sendable, CaseIterable {
  /// Tracks can be added.
  case idle = "idle"
  /// Waits for the sample with which the session starts.
  case preparing = "preparing"
  /// Keeps samples.
  case recording = "recording"
  /// Takes no more samples, and writes those that it has.
  case finishing = "finishing"
  /// Everything is on the disk.
  case finished = "finished"
  /// The recording failed. The fragments that were committed before remain.
  case failed = "failed"
  /// The recording was given up, and its files are removed.
  case cancelled = "cancelled"

  /// Whether the state is final.
  public var isFinal: Bool { [.finished, .failed, .cancelled].contains(self) }
}
