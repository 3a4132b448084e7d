import Crypto
import Timeline

/// A file with consecutive fragments of a recording, and its media index.
///
/// A job that follows a recording renders its excerpts while later ones are being recorded. An excerpt never changes, so
/// the content keys of the segments that show it stay the same when the recording grows.
public struct IndexedExcerpt: Sendable {
  /// The name in messages; different for each excerpt.
  public var name: String
  /// The SHA-256 of the file.
  public var asset: Digest
  /// The length of the file in bytes.
  public var byteCount: Int64
  /// The media index of the file. Its times are those of the recording.
  public var index: MediaIndex
  /// The number of frames at its end that are also at the beginning of the next excerpt. They are needed to decode
  /// frames that are stored after the next excerpt's first keyframe but presented before it.
  public var sharedFrames: Int

  /// Creates an excerpt.
  public init(
    name: String, asset: Digest, byteCount: Int64, index: MediaIndex, sharedFrames: Int
  ) {
    self.name = name
    self.asset = asset
    self.byteCount = byteCount
    self.index = index
    self.sharedFrames = sharedFrames
  }

  /// The first video stream, which is the one that the excerpt replaces.
  var stream: VideoStream? { index.video.first }

  /// The excerpt's facts if it is the first one of its recording.
  var opening: VideoStream.Opening? {
    ownFrames.map {
      VideoStream.Opening(
        frameCount: $0.count, peakBitRate: stream?.copying?.peakBitRate,
        parameterSetIDs: stream?.copying?.parameterSetIDs ?? [])
    }
  }

  /// The frames that this excerpt shows and the next one does not: from its first keyframe to the next excerpt's.
  /// `nil` if there are none.
  var ownFrames: Range<Int>? {
    guard let table = stream?.frames, let first = table.starts.first?.time else { return nil }
    let (start, count) = (table.frame(at: first), table.times.count)
    var end = count - sharedFrames
    if sharedFrames > 0, end >= 0, end < count {
      let next = table.starts.first { $0.time >= table.times[end] }
      end = next.map { table.frame(at: $0.time) } ?? end
    }
    return start < end ? start..<end : nil
  }
}
