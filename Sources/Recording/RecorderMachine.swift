/// The session of a recorder, from the opening of its source to the end of its last file.
///
/// An event that the state does not allow throws, and changes nothing.
public struct RecorderMachine: Hashable, Sendable {
  /// The state of the session.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Nothing is being recorded.
    case idle = "idle"
    /// The source is being opened, or its first keyframe has not arrived yet.
    case starting = "starting"
    /// Samples are being recorded.
    case recording = "recording"
    /// The source is closed, and what was received is being written.
    case stopping = "stopping"
  }

  /// Something that happened.
  public enum Event: Hashable, Sendable {
    /// Recording was requested.
    case start
    /// The first sample is being recorded.
    case began
    /// Stopping was requested.
    case stop
    /// The source has ended.
    case sourceEnded
    /// Everything is on disk.
    case written
    /// The recording cannot continue.
    case failed
  }

  /// The state of the session.
  public private(set) var state = State.idle

  /// Creates an idle session.
  public init() {}

  /// Changes the state.
  public mutating func take(_ event: Event) throws(RecordingError) {
    switch (event, state) {
    case (.start, .idle): state = .starting
    case (.began, .starting): state = .recording
    case (.stop, .starting), (.stop, .recording), (.sourceEnded, .starting),
      (.sourceEnded, .recording):
      state = .stopping
    case (.written, .stopping), (.failed, .starting), (.failed, .recording), (.failed, .stopping):
      state = .idle
    default: throw .illegal(event.name, "the recorder", state.rawValue, event.remedy)
    }
  }
}

extension RecorderMachine.Event {
  fileprivate var name: String {
    switch self {
    case .start: "start"
    case .began: "began"
    case .stop: "stop"
    case .sourceEnded: "sourceEnded"
    case .written: "written"
    case .failed: "failed"
    }
  }

  fileprivate var remedy: String {
    switch self {
    case .start: "stop the current recording first"
    case .began, .sourceEnded, .failed: "start a recording first"
    case .stop: "there is nothing to stop"
    case .written: "stop the recording first"
    }
  }
}
