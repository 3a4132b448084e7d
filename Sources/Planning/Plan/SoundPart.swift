import Crypto
import Timeline

/// A part of a job's sound that is complete while the rest is still being made: a file with some of its packets.
public struct SoundPart: Hashable, Codable, Sendable {
  /// The minimum length of a part in seconds, except the last one.
  public static let length: Int64 = 10

  /// The number of parts before it.
  public var number: Int
  /// The time of its first packet in samples; negative if the packet begins with the encoder's delay. The file's times
  /// are relative to it, except in the first part.
  public var start: Int64
  /// The end of its last packet, in seconds.
  public var end: RationalTime
  /// Whether the sound ends with it.
  public var isLast: Bool
  /// The length and checksum of its file.
  public var content: WrittenContent

  /// Creates a part.
  public init(number: Int, start: Int64, end: RationalTime, isLast: Bool, content: WrittenContent) {
    self.number = number
    self.start = start
    self.end = end
    self.isLast = isLast
    self.content = content
  }

  /// The path of its file in the folder of all parts.
  public func path(in folder: String) -> String { Self.path(number, in: folder) }

  /// The path of a part's file in the folder of all parts.
  public static func path(_ number: Int, in folder: String) -> String { "\(folder)/\(number).mp4" }
}
