/// The times of a stream's frames in increasing order, where those that its packets carry run into one another: a
/// program stream may name one time for several frames, which then lie one after the other. Where each frame has a time
/// of its own (``Demuxer/timesEachFrame``), the first of one time counts, and no frame is moved.
///
/// The result for a frame depends on all earlier ones, so frames are added one by one from the start of the stream.
struct SteadyTimes {
  /// Whether each frame has a time of its own.
  let areOwn: Bool
  /// Whether a frame has been moved on.
  private(set) var hasMoved = false
  private var last: Int64?
  private var count = 0

  init(of demuxer: Demuxer) { areOwn = demuxer.timesEachFrame }

  /// The most frames by which streams are reordered (ITU-T H.264, A.3.1 h, and H.265, A.4.2: 16 pictures).
  static let deepestReordering: Int64 = 16

  /// The time of the next frame: its own where that is later than the last one's, else one step after the last one's.
  ///
  /// - Returns: `nil` for a frame to leave out: a further one of a time, where times are frames' own; or one that a
  ///   decoder presents too late, before it knows how far a stream reorders.
  /// - Throws: ``MediaError`` if the frame's time is further back than reordering explains.
  mutating func time(of frame: Frame, named name: String) throws(MediaError) -> Int64? {
    count += 1
    guard let last, frame.time <= last else {
      last = frame.time
      return frame.time
    }
    if areOwn || !hasMoved && count <= Self.deepestReordering { return nil }
    let step = max(frame.duration, 1)
    let time = last + step
    guard time - frame.time <= Self.deepestReordering * step else {
      throw MediaError.clockJumpsBack(on: name)
    }
    hasMoved = true
    self.last = time
    return time
  }
}

extension Demuxer {
  /// Whether the container gives each frame a time of its own, so that two frames of one time are what someone wrote;
  /// others give one to each piece that they cut the stream into, and leave the rest to be counted.
  var timesEachFrame: Bool { ["mov,", "matroska,"].contains { format.hasPrefix($0) } }
}

extension MediaError {
  /// The refusal of a file whose times begin again somewhere within.
  static func clockJumpsBack(on name: String) -> MediaError {
    MediaError(
      .damaged, "the file's clock jumps back, as where recordings were appended to one another",
      on: name, remedy: "remultiplex it, e.g. with ffmpeg -i FILE -c copy")
  }
}
