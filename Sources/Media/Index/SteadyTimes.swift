/// The times of a stream's frames in increasing order, even if its packets repeat times: a program stream may name one
/// time for several frames, which are then spread out one after another. If each frame has its own time
/// (``Demuxer/timesEachFrame``), the first of several frames at one time counts, and no frame is moved.
///
/// The result for a frame depends on all earlier ones, so frames are added one by one from the start of the stream.
struct SteadyTimes {
  /// Whether each frame has a time of its own.
  let areOwn: Bool
  /// Whether a frame has been moved to a later time.
  private(set) var hasMoved = false
  private var last: Int64?
  private var count = 0

  init(of demuxer: Demuxer) { areOwn = demuxer.timesEachFrame }

  /// The most frames by which streams are reordered (ITU-T H.264, A.3.1 h, and H.265, A.4.2: 16 pictures).
  static let deepestReordering: Int64 = 16

  /// The time of the next frame: its own if it is later than the last one's, otherwise one step after the last one's.
  ///
  /// - Returns: `nil` for a frame to drop: one that repeats a time although frames have their own times, or one that a
  ///   decoder presents too late, before it knows how far the stream reorders.
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
  /// Whether the container stores a time for each frame, so that two frames at one time were written that way. Other
  /// containers store one for each piece into which they cut the stream, and the other frames have to be counted.
  var timesEachFrame: Bool { ["mov,", "matroska,"].contains { format.hasPrefix($0) } }
}

extension MediaError {
  /// The error for a file whose times start again somewhere within it.
  static func clockJumpsBack(on name: String) -> MediaError {
    MediaError(
      .damaged, "the file's times jump backwards, as if recordings were appended to each other",
      on: name, remedy: "remux it, e.g. with ffmpeg -i FILE -c copy")
  }
}
