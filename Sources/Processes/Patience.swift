import Foundation

/// How long a child process may take to answer, and how much it may say.
///
/// A process that sleeps uses no processor time, and a limit on that never ends it.
public struct Patience: Hashable, Sendable {
  /// How long an answer may take, besides the time for reading and for computing.
  public var time: Duration
  /// The bytes that an answer may have: the index of seven hours of keyframes alone, at 60 a second, takes some 128 MiB.
  public var answerSize: Int
  /// The frames that an answer may tell of: 33 million are six days at 60 a second.
  public var frameCount: Int
  /// How long a process that has closed its output may take to end.
  public var leave: Duration

  /// Patience from its parts.
  public init(
    time: Duration = .seconds(900), answerSize: Int = 128 << 20, frameCount: Int = 1 << 25,
    leave: Duration = .seconds(5)
  ) {
    self.time = time
    self.answerSize = answerSize
    self.frameCount = frameCount
    self.leave = leave
  }

  /// The bytes a second that the slowest disk gives.
  private static let slowestDisk = 10_000_000.0
  /// The times that computing takes of what it takes at the most where nothing else runs.
  private static let busiestHost = 8.0

  /// How long an answer may take.
  ///
  /// - Parameters:
  ///   - files: what must be read for it.
  ///   - computing: what it takes at the most where nothing else runs.
  func time(reading files: [String], computing: Duration) -> Duration {
    let bytes = files.reduce(0) { $0 + Double(Self.size($1)) }
    return time + .seconds(bytes / Self.slowestDisk) + computing * Self.busiestHost
  }

  /// How many bytes a file has; 0 if it is not there.
  package static func size(_ file: String) -> Int64 {
    var status = stat()
    guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int64(status.st_size)
  }
}
