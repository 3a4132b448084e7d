import Timeline

/// A part of a recording: from one start of the source's clock to the next, in one format.
public struct RecordedPart: Hashable, Codable, Sendable {
  /// Its number, from 1 on.
  public var number: Int
  /// Its start, in seconds from the start of the recording.
  public var start: RationalTime
  /// Its tracks, in the order of their numbers in ``RecordingGap/track``.
  public var tracks: [TrackFormat]

  /// Creates a part.
  public init(number: Int, start: RationalTime, tracks: [TrackFormat]) {
    self.number = number
    self.start = start
    self.tracks = tracks
  }

  /// The name of its folder, such as `part-1`, in the folder of the recording.
  public var folderName: String { Self.folderName(number) }

  /// The name of the folder of the part with a number.
  public static func folderName(_ number: Int) -> String { "part-\(number)" }
}
