import Crypto
import Media
import Planning
import Timeline

/// The open readers that a render process keeps from one segment to the next, so that the next one need not open and
/// analyze the same file again, or decode from a keyframe what was just decoded.
///
/// A segment first closes the readers that its first slice does not use. What is kept therefore never adds to the
/// memory that the plan expects a segment to take. Kept or not, a reader yields the same frames. Not thread-safe.
public final class KeptReaders {
  /// The most memory that decoders may need while the process waits for a segment, in bytes: enough for one stream of
  /// 1920×1080 pixels. No lease counts this memory, so a worker's idle slots must not take much.
  private static let mostIdleBytes = 72.0 * 1_048_576

  /// A reader with what identifies its stream.
  private struct Entry {
    let source: SourceStream
    let bytes: RenewedSource
    let deinterlaces: Bool
    weak var open: FrameReader?
    /// The reader, while no segment uses it.
    var kept: FrameReader?
  }

  /// The memory of all readers' pictures.
  private let pictures = PicturePool()
  private var entries: [Entry] = []

  /// Starts without readers; the segments add theirs.
  public init() {}

  /// The number of different sizes in bytes of the picture memory that is kept.
  package var pictureSizeCount: Int { pictures.sizeCount }

  /// Closes the readers for which a segment's first layers have no use.
  ///
  /// - Parameter wanted: the source of each layer, and the time of the first frame that the layer shows.
  func keepOnly(_ wanted: [(source: SourceStream, time: Int64)]) {
    // Readers of a segment that failed are not kept.
    var free = entries.filter { $0.kept != nil }
    var used: [Entry] = []
    for (source, time) in wanted {
      if let place = Self.nearest(of: source, to: time, in: free) {
        used.append(free.remove(at: place))
      }
    }
    if used.count < entries.count { pictures.drain() }
    entries = used
  }

  /// A reader of a source: a kept one, or a new one.
  ///
  /// - Parameters:
  ///   - bytes: the asset, opened for this segment.
  ///   - time: the time of the first frame that will be requested.
  ///   - deinterlaces: whether interlaced frames are de-interlaced or returned as decoded.
  func reader(
    of source: SourceStream, _ bytes: any ByteSource, from time: Int64, deinterlaces: Bool,
    onDamage: DamagePolicy, noteConcealed: @escaping (Int64) -> Void
  ) throws -> FrameReader {
    entries.removeAll {
      $0.kept == nil
        ? $0.open == nil
        : $0.deinterlaces != deinterlaces && $0.source.isSameStream(as: source)
    }
    if onDamage == .fail, let place = Self.nearest(of: source, to: time, in: entries),
      let reader = entries[place].kept
    {
      let entry = entries.remove(at: place)
      entry.bytes.renew(bytes)
      reader.goOn(with: source.stream.frames, origin: source.start ?? .zero)
      entries.append(
        Entry(source: source, bytes: entry.bytes, deinterlaces: deinterlaces, open: reader))
      return reader
    }
    let renewed = RenewedSource(bytes)
    let reader = try FrameReader(
      source: renewed, named: source.name, stream: source.stream,
      deinterlaces: deinterlaces, pictures: pictures, onDamage: onDamage,
      origin: source.start ?? .zero, noteConcealed: noteConcealed)
    if onDamage == .fail, !source.isStillImage {
      entries.append(
        Entry(source: source, bytes: renewed, deinterlaces: deinterlaces, open: reader))
    }
    return reader
  }

  /// The place of the kept reader of a source that has to decode the fewest frames to show the one at `time`: the last
  /// one before it, or any other, which has to seek; `nil` if there is none.
  private static func nearest(
    of source: SourceStream, to time: Int64, in entries: [Entry]
  ) -> Int? {
    let usable = entries.indices.filter {
      entries[$0].kept != nil && entries[$0].source.isSameStream(as: source)
    }
    let position = { (place: Int) -> Int64 in entries[place].kept?.position ?? .min }
    return usable.filter { position($0) < time }.max { position($0) < position($1) }
      ?? usable.first
  }

  /// Keeps the readers that a segment still has open at its end, and frees the memory of all others.
  func keepOpenOnes() {
    var idle = 0.0
    entries = entries.compactMap { entry in
      guard let reader = entry.open, reader.isReusable else { return nil }
      idle += entry.source.stream.decodingBytes
      return idle > Self.mostIdleBytes
        ? nil
        : Entry(
          source: entry.source, bytes: entry.bytes, deinterlaces: entry.deinterlaces, open: reader,
          kept: reader)
    }
    entries.forEach { $0.kept?.letGo() }
    pictures.drain()
  }
}

extension SourceStream {
  /// Whether both are frames of one stream, which is not a still image and has the same name in error messages.
  fileprivate func isSameStream(as other: SourceStream) -> Bool {
    guard asset == other.asset, name == other.name, !isStillImage, !other.isStillImage else {
      return false
    }
    var stream = stream
    stream.frames = other.stream.frames
    return stream == other.stream
  }
}
