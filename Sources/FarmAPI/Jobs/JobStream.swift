/// The segments of a job's stream.
///
/// Each finished segment is streamed in pieces of about five seconds: `stream/{track}/{segment}-{piece}.m4s`, with the header
/// `stream/{track}/header.mp4`. The track is `film`, `pictures` or `sound`.
public struct JobStream: Hashable, Codable, Sendable {
  /// The media in a piece.
  public enum Track: String, Hashable, Codable, Sendable, CaseIterable {
    /// Pictures and sound.
    case film = "film"
    /// Pictures without sound.
    case pictures = "pictures"
    /// Sound without pictures.
    case sound = "sound"
  }

  /// Whether the sound can be streamed.
  public enum Sound: String, Hashable, Codable, Sendable, CaseIterable {
    /// The job has no sound.
    case none = "none"
    /// The sound is not mixed yet.
    case pending = "pending"
    /// The sound is mixed.
    case ready = "ready"
  }

  /// A segment of the film.
  public struct Segment: Hashable, Codable, Sendable {
    /// Whether it can be streamed.
    public var isFinished: Bool
    /// The time of its first frame in seconds, counted from the start of the film.
    public var start: Double
    /// The time when its last frame ends, in seconds.
    public var end: Double
    /// The number of its pieces, which have nearly the same length. The first one begins with a keyframe.
    public var pieces: Int

    /// Creates a segment.
    public init(isFinished: Bool, start: Double, end: Double, pieces: Int) {
      self.isFinished = isFinished
      self.start = start
      self.end = end
      self.pieces = pieces
    }
  }

  /// The time of the film's first frame in the pieces, in seconds.
  public var startTime: Int64
  /// The length of the film in seconds; while the job follows a recording, the length so far.
  public var duration: Double
  /// Whether the sound can be streamed.
  public var sound: Sound
  /// All segments in order.
  public var segments: [Segment]
  /// Whether the job is completed.
  public var hasEnded: Bool
  /// An opaque value. Players must begin again when it changes, because finished segments have changed. This usually
  /// happens only if the job follows a recording.
  public var revision: String

  /// Creates a stream.
  public init(
    startTime: Int64, duration: Double, sound: Sound, segments: [Segment], hasEnded: Bool,
    revision: String
  ) {
    self.startTime = startTime
    self.duration = duration
    self.sound = sound
    self.segments = segments
    self.hasEnded = hasEnded
    self.revision = revision
  }

  /// The name of the header of a track.
  public static let headerName = "header.mp4"

  /// The name of a piece.
  public static func fileName(ofPiece piece: Int, ofSegment segment: Int) -> String {
    "\(segment)-\(piece).m4s"
  }

  /// The segment and the piece that a name stands for; `nil` if it stands for none.
  public static func piece(ofFile name: String) -> (segment: Int, piece: Int)? {
    guard let match = name.wholeMatch(of: /(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,8})\.m4s/),
      let segment = Int(match.1), let piece = Int(match.2)
    else { return nil }
    return (segment, piece)
  }
}
