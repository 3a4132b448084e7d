import Crypto
import Media
import Planning
import Rendering
import Support
import Timeline

/// Sources and layers that become a segment of one slice.
struct TestScene {
  /// A layer, described by the numbers of its source frames.
  struct Layer {
    var source: Int
    var frames: [Int]
    var opacity = Ramps<Double>()
    var transform = Ramps<AffineTransform>()
    var crop = Ramps<PixelRect>()
    var backdrop: Backdrop?
    var mask: MaskSlice?
  }

  var paths: [String]
  var size = PixelSize(width: 320, height: 180)
  var first = 0
  var frameDuration = RationalTime.second(over: 30)
  /// crf 0 is lossless: decoded pixels equal the composited ones.
  var video = VideoSettings(crf: 0, encoderPreset: "ultrafast")
  var background = Color.black
  var workingFormat: WorkingFormat?
  var layers: [Layer]

  static let digest = Digest(bytes: [UInt8](repeating: 7, count: 32))

  static func source(_ path: String) throws -> SourceStream {
    let index = try MediaProber.index(of: try FileByteSource(path: path), named: path)
    guard let stream = index.video.first, let digest else {
      throw MediaError(.noVideoStream, "no video", on: path)
    }
    return SourceStream(
      asset: digest, name: path, stream: stream, isStillImage: index.isStillImage,
      start: index.start == .zero ? nil : index.start)
  }

  func segment() throws -> SegmentDescription {
    let sources = try paths.map(Self.source)
    let count = layers.first?.frames.count ?? 1
    let slice = InstructionSlice(
      first: first, end: first + count, backgroundColor: background,
      layers: layers.map { layer in
        let times = sources[layer.source].stream.frames.times
        return LayerSlice(
          source: layer.source,
          frames: layer.frames.map { FrameRun(time: times[$0], step: 0, count: 1) },
          opacity: layer.opacity, transform: layer.transform, crop: layer.crop,
          backdrop: layer.backdrop, mask: layer.mask)
      })
    return SegmentDescription(
      first: first, end: first + count, frameDuration: frameDuration, renderSize: size,
      video: video, sources: sources, slices: [slice], workingFormat: workingFormat)
  }

  /// Renders the scene to `path`.
  @discardableResult
  func render(to path: String) throws -> RenderedChunk {
    try SegmentRenderer(segment: try segment()) { try FileByteSource(path: $0.name) }
      .render(to: path)
  }

  /// Renders and decodes the scene, and returns the planes of all frames.
  func renderedFrames(in folder: TemporaryDirectory) throws -> [DecodedFrame] {
    let path = folder.path("chunk.mp4")
    try render(to: path)
    return try DecodedFrame.all(in: path, size: size)
  }
}

/// A decoded 4:2:0 frame.
struct DecodedFrame: Equatable {
  var width: Int
  var luma: [UInt8]
  var cb: [UInt8]
  var cr: [UInt8]

  /// One row of luma.
  func row(_ y: Int) -> [UInt8] { Array(luma[y * width..<(y + 1) * width]) }
  /// One column of luma.
  func column(_ x: Int) -> [UInt8] { stride(from: x, to: luma.count, by: width).map { luma[$0] } }

  /// All frames of a file, decoded by the `ffmpeg` command.
  static func all(in path: String, size: PixelSize) throws -> [DecodedFrame] {
    let bytes = [UInt8](
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-noautorotate", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough",
          "-f", "rawvideo", "-pix_fmt", "yuv420p", "-",
        ]))
    let (luma, chroma) = (size.width * size.height, size.width * size.height / 4)
    return stride(from: 0, to: bytes.count, by: luma + 2 * chroma).map { start in
      DecodedFrame(
        width: size.width, luma: Array(bytes[start..<start + luma]),
        cb: Array(bytes[start + luma..<start + luma + chroma]),
        cr: Array(bytes[start + luma + chroma..<start + luma + 2 * chroma]))
    }
  }
}

extension RationalTime {
  /// `1 / rate` seconds.
  static func second(over rate: Int64) -> RationalTime {
    (try? RationalTime(1, rate)) ?? .zero
  }
}

extension TimeRange {
  /// The range of output frames at 30 frames a second.
  static func frames(_ first: Int64, count: Int64) throws -> TimeRange {
    try TimeRange(
      start: try RationalTime(first, 30), duration: try RationalTime(count, 30))
  }
}
