import Foundation

/// How far the coordinator has come with reading its files to find those that are damaged: what `GET /scrub` answers.
public struct ScrubStatus: Hashable, Codable, Sendable {
  /// The most bytes that are read in a second; 0 if nothing is read.
  public var bytesPerSecond: Int64
  /// How many times everything was read since the coordinator started.
  public var passes = 0
  /// When that was done last.
  public var finishedAt: Date?
  /// How many files there are in the present pass.
  public var files = 0
  /// How many of them were read.
  public var filesRead = 0
  /// How many bytes the files of the present pass have.
  public var bytes: Int64 = 0
  /// How many of them were read.
  public var bytesRead: Int64 = 0
  /// How many bytes were read since the coordinator started.
  public var totalBytesRead: Int64 = 0
  /// How many damaged files were found since the coordinator started.
  public var damagedFiles = 0

  /// Nothing was read yet.
  public init(bytesPerSecond: Int64) { self.bytesPerSecond = bytesPerSecond }
}
