import Media
import Planning
import Timeline

/// Makes pictures, for people to look at, of single frames of a segment: the frames that its chunk shows, without
/// encoding them.
///
/// A segment that is rendered is composited as its encoder's input is. Of a copied segment, the source frames are
/// decoded. Blocks; not thread-safe.
public final class SegmentStills {
  private enum Pictures {
    case encoded(EncoderInput)
    case copied(FrameReader)
  }

  private let segment: SegmentDescription
  private let display: PictureDisplay
  private let pictures: Pictures
  /// The source's time of each output frame, if they are copied.
  private var times: [Int64] = []
  private let screen = ScreenPicture()

  /// Creates the stills of a segment.
  ///
  /// - Parameters:
  ///   - display: how players show the file's pictures.
  ///   - open: opens a source's asset; called once for each layer that shows the source at the same time.
  /// - Throws: ``RenderingError`` with code `invalidDescription`, or `MediaError`.
  public init(
    _ segment: SegmentDescription, display: PictureDisplay,
    open: @escaping (SourceStream) throws -> any ByteSource
  ) throws {
    try segment.validateForRendering()
    self.segment = segment
    self.display = display
    guard let part = segment.copy else {
      pictures = .encoded(try EncoderInput(segment, open: open))
      return
    }
    guard segment.sources.indices.contains(part.source) else {
      throw RenderingError(.invalidDescription, "the copied segment has no source")
    }
    let source = segment.sources[part.source]
    times = segment.slices.flatMap { $0.layers.first?.frameTimes ?? [] }
    pictures = .copied(
      try FrameReader(
        source: try open(source), named: source.name, stream: source.stream, deinterlaces: false,
        onDamage: segment.onDamage ?? .fail, origin: source.start ?? .zero))
  }

  /// The output frame with a number as players show it, in sRGB with the format ``PixelFormat/rgb24``.
  ///
  /// - Parameters:
  ///   - number: in `segment.first ..< segment.end`, and greater than at the previous call.
  ///   - size: the size of the picture; `nil` for that of the display.
  /// - Throws: `MediaError`, also if the frame shows damage that the project does not conceal.
  public func picture(_ number: Int, size: PixelSize? = nil) throws -> Frame {
    guard (segment.first..<segment.end).contains(number) else {
      throw RenderingError(.invalidDescription, "frame \(number) is not in the segment")
    }
    var shown = display
    if let size { shown.size = size }
    switch pictures {
    case .encoded(let input):
      // The frame may be a decoder's own, whose tags must stay as they are.
      let frame = try Frame(sharing: try input.frame(number))
      frame.setColor(segment.colorSpace.tags(size: segment.renderSize))
      return try screen.picture(of: frame, hdr: segment.workingFormat?.hdr, on: shown)
    case .copied(let reader):
      let place = number - segment.first
      guard times.indices.contains(place) else {
        throw RenderingError(.invalidDescription, "frame \(number) is not in the copied segment")
      }
      let frame = try Frame(sharing: try reader.frame(at: times[place]))
      frame.setColor(frame.color.completed(by: reader.stream.color))
      return try screen.picture(of: frame, hdr: reader.stream.hdr, on: shown)
    }
  }
}

extension ColorTags {
  /// The tags, with those of the stream in place of unknown ones.
  fileprivate func completed(by stream: ColorTags) -> ColorTags {
    ColorTags(
      primaries: primaries ?? stream.primaries, transfer: transfer ?? stream.transfer,
      matrix: matrix ?? stream.matrix, range: range ?? stream.range)
  }
}
