import Foundation

/// Limits on a child process's answers: their time and their size.
///
/// A limit on processor time alone would never end a process that sleeps.
public struct Patience: Hashable, Sendable {
  /// The time for an answer, in addition to the time for reading and computing.
  public var time: Duration
  /// The maximum size of an answer in bytes.
  public var answerSize: Int
  /// The maximum number of frames in an answer: 33 million frames are six days at 60 frames per second.
  public var frameCount: Int
  /// The time that a process may take to exit after it has closed its output.
  public var leave: Duration

  /// The maximum size of any answer in bytes.
  public static let largestAnswer = 128 << 20

  /// Creates limits.
  public init(
    time: Duration = .seconds(900), answerSize: Int = Self.largestAnswer, frameCount: Int = 1 << 25,
    leave: Duration = .seconds(5)
  ) {
    self.time = time
    self.answerSize = answerSize
    self.frameCount = frameCount
    self.leave = leave
  }

  /// The speed of the slowest supported disk in bytes per second.
  private static let slowestDisk = 10_000_000.0
  /// The factor by which computing is slower on the busiest host than on an idle one.
  private static let busiestHost = 8.0

  /// The time limit for an answer.
  ///
  /// - Parameters:
  ///   - files: the files that must be read for it.
  ///   - byteCount: the number of bytes of other files that must be read for it.
  ///   - computing: an upper bound on the computing time on an idle host.
  func time(reading files: [String], and byteCount: Int64, computing: Duration) -> Duration {
    let bytes = files.reduce(Double(byteCount)) { $0 + Double(Self.size($1)) }
    return time + .seconds(bytes / Self.slowestDisk) + computing * Self.busiestHost
  }

  /// The size of a file in bytes; 0 if it does not exist.
  package static func size(_ file: String) -> Int64 {
    var status = stat()
    guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int64(status.st_size)
  }
}
