import FarmAPI

/// Follows a recording until it has ended.
struct RecordingWatch {
  private let id: String
  private let farm: FarmConnection

  /// The interval between two requests.
  private static let pause = Duration.seconds(1)

  init(_ id: String, at farm: FarmConnection) {
    self.id = id
    self.farm = farm
  }

  /// Waits until the recording has ended.
  ///
  /// - Parameter show: called with each status until then.
  func finish(_ show: (RecordingStatus) -> Void) async throws -> RecordingStatus {
    while true {
      let status = try await farm.recording(id)
      if status.state.isFinal { return status }
      show(status)
      try await Task.sleep(for: Self.pause)
    }
  }
}

extension RecordingStatus {
  var progress: ProgressLine {
    var figures: [String] = []
    if state != .preparing { figures += [lengthText, "\(ByteCount(byteCount))"] }
    return ProgressLine(
      activity: state == .preparing ? "waiting for \(source)" : state.rawValue, fraction: nil,
      figures: figures)
  }
}
