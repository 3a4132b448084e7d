import Arguments
import FarmAPI
import Foundation
import Recording
import Timeline

/// Where the finished files of a recording are saved on this host.
struct RecordingFiles {
  /// The path for the first file.
  let output: OutputPath
  private let mayReplace: Bool

  /// Checks a path, which must have the extension `mp4`.
  init(_ path: String, mayReplace: Bool) throws {
    output = try OutputPath(path, mayReplace: mayReplace)
    self.mayReplace = mayReplace
    guard output.fileType == .mp4 else {
      throw CommandFailure(
        .usage, "recordings are saved as MP4 files", on: path, remedy: "use the extension .mp4")
    }
  }

  /// Fetches all files. The second one is named `NAME-2.mp4`, and so on.
  ///
  /// - Returns: the paths.
  func fetch(
    _ recording: RecordingStatus, from farm: FarmConnection, display: ProgressDisplay
  ) async throws -> [String] {
    let fetch = OutputFetch(from: farm, display: display)
    var paths: [String] = []
    for (number, file) in recording.outputs.enumerated() {
      let place =
        number == 0
        ? output
        : try OutputPath(
          "\(output.path.dropLast(".mp4".count))-\(number + 1).mp4", mayReplace: mayReplace)
      try await fetch.fetch(
        file, at: "/recordings/\(farm.escape(recording.id))/outputs/\(number)", of: recording.id,
        to: place)
      paths.append(place.path)
    }
    return paths
  }
}

extension RecordingStatus {
  /// The length of the recording, such as `12:05`.
  var lengthText: String { ProgressLine.clock(duration.seconds) }

  /// The losses, as sentences without periods.
  var lossLines: [String] {
    var lines: [String] = []
    let lost = gaps.filter { gap in
      parts.first { $0.number == gap.part }?.tracks[safe: gap.gap.track]?.kind == .video
    }
    if !lost.isEmpty {
      let length = lost.reduce(0) { $0 + $1.gap.end.seconds - $1.gap.start.seconds }
      let gaps = lost.count == 1 ? "1 gap" : "\(lost.count) gaps"
      lines.append("the video has \(gaps), \(Self.seconds(length)) in total")
    }
    if losses.droppedGroups > 0 {
      lines.append(
        "the coordinator's disk was too slow: groups of pictures that were dropped: "
          + "\(losses.droppedGroups)")
    }
    if parts.count > 1 {
      lines.append(
        "the recording has \(parts.count) parts: it was interrupted, or the source changed")
    }
    for reason in ignored { lines.append("not recorded: \(reason)") }
    return lines
  }

  private static func seconds(_ seconds: Double) -> String {
    String(format: "%.2f s", seconds)
  }

  /// The failure that a command ends with; `nil` if the recording did not fail.
  var commandFailure: CommandFailure? {
    guard state == .failed else { return nil }
    return CommandFailure(
      .failed,
      lines: ["the recording failed: \(failure?.message ?? "the coordinator states no reason")"])
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? {
    indices.contains(index) ? self[index] : nil
  }
}
