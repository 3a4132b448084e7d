import Media
import Timeline

/// The sound of a stream's pieces.
protocol PieceSound {
  /// The coding parameters.
  var parameters: StreamParameters { get }
  /// Seconds per tick of the packets' times.
  var timeBase: RationalTime { get }

  /// Calls `body` with the packets that are presented from `start` on and before `end`, as long as it returns `true`;
  /// `nil` stands for the start and the end of the sound.
  func forEachPacket(
    from start: RationalTime?, before end: RationalTime?, _ body: (Packet) throws -> Bool
  ) throws
}
