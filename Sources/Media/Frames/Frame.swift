import CFFmpeg
import Timeline

/// One decoded picture, or run of audio samples, whose bytes may be shared between frames.
///
/// Not thread-safe: frames stay on the thread that owns the decoder.
public final class Frame {
  let pointer: UnsafeMutablePointer<AVFrame>

  /// The alignment of rows that this module allocates, in bytes.
  public static let rowAlignment = 64

  /// Creates a frame without samples, to receive into.
  init() throws(MediaError) {
    pointer = try allocated(av_frame_alloc(), for: "a frame")
  }

  /// Creates a picture with its own memory, whose contents are undefined.
  ///
  /// - Throws: ``MediaError`` with code `invalidSettings` or `outOfMemory`.
  public convenience init(
    width: Int, height: Int, pixelFormat: PixelFormat
  ) throws(MediaError) {
    try self.init()
    guard let columns = Int32(exactly: width), let rows = Int32(exactly: height), width > 0,
      height > 0
    else {
      throw MediaError(.invalidSettings, "invalid picture size", on: "\(width)x\(height)")
    }
    pointer.pointee.width = columns
    pointer.pointee.height = rows
    pointer.pointee.format = pixelFormat.rawValue
    try checked(
      av_frame_get_buffer(pointer, Int32(Self.rowAlignment)), .outOfMemory,
      "cannot allocate a picture", on: "\(width)x\(height) \(pixelFormat.name)")
  }

  /// Creates a frame that shares the samples of `other`. Its time and tags can be set independently.
  public convenience init(sharing other: Frame) throws(MediaError) {
    try self.init()
    try checked(av_frame_ref(pointer, other.pointer), .outOfMemory, "cannot copy", on: "a frame")
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = pointer
    av_frame_free(&frame)
  }

  /// Whether its bytes are shared with another frame, so that they are copied before they change.
  public var isShared: Bool { av_frame_is_writable(pointer) == 0 }

  /// Columns of a picture.
  public var width: Int { Int(pointer.pointee.width) }
  /// Rows of a picture.
  public var height: Int { Int(pointer.pointee.height) }
  /// The layout of a picture's pixels.
  public var pixelFormat: PixelFormat { PixelFormat(rawValue: pointer.pointee.format) }

  /// Presentation time: in ticks of the stream after decoding, or the frame's number for encoding.
  public var time: Int64 {
    get { pointer.pointee.pts }
    set { pointer.pointee.pts = newValue }
  }

  /// The duration of its packet, in ticks of the stream; 0 if unknown.
  var duration: Int64 { pointer.pointee.pkt_duration }

  /// Whether the frame was coded without reference to others.
  public var isKey: Bool { pointer.pointee.key_frame != 0 }

  /// Whether the decoder reports that parts of the picture are concealed.
  public var isCorrupt: Bool {
    pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 || pointer.pointee.decode_error_flags != 0
  }

  /// Whether the picture is concealed, or may be predicted from one that is. Set by the reader that decodes it.
  public internal(set) var isDamaged = false

  /// Whether the picture holds two fields from different instants.
  public var isInterlaced: Bool { pointer.pointee.interlaced_frame != 0 }

  /// The field that is shown first; `nil` if the picture is progressive.
  var firstField: VideoSettings.Field? {
    guard isInterlaced else { return nil }
    return pointer.pointee.top_field_first != 0 ? .top : .bottom
  }

  /// The width of a pixel divided by its height, if the stream states it.
  public var pixelAspectRatio: RationalTime? {
    RationalTime(positive: pointer.pointee.sample_aspect_ratio)
  }

  /// States that the pixels are square, after a picture was scaled so that they are.
  public func setSquarePixels() { pointer.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1) }

  /// Lends the planes of a picture for reading, byte by byte.
  public func withUnsafePlanes<Result>(
    _ body: ([Plane<UInt8>]) throws -> Result
  ) rethrows -> Result {
    try body(planes.map(Plane.init(reading:)))
  }

  /// Lends the planes of a picture for writing, byte by byte. A picture that shares its memory is copied first.
  public func withUnsafeMutablePlanes<Result>(
    _ body: ([MutablePlane<UInt8>]) throws -> Result
  ) throws -> Result {
    try makeWritable()
    return try body(planes)
  }

  /// Lends the planes of a picture for reading, sample by sample.
  ///
  /// - Throws: ``MediaError`` with code `invalidSettings` if its samples have another size.
  public func withUnsafePlanes<Sample: PictureSample, Result>(
    of sample: Sample.Type, _ body: ([Plane<Sample>]) throws -> Result
  ) throws -> Result {
    try body(try planes(of: sample).map(Plane.init(reading:)))
  }

  /// Lends the planes of a picture for writing, sample by sample. A picture that shares its memory is copied first.
  ///
  /// - Throws: ``MediaError`` with code `invalidSettings` if its samples have another size, or `outOfMemory`.
  public func withUnsafeMutablePlanes<Sample: PictureSample, Result>(
    of sample: Sample.Type, _ body: ([MutablePlane<Sample>]) throws -> Result
  ) throws -> Result {
    try makeWritable()
    return try body(try planes(of: sample))
  }

  private func makeWritable() throws(MediaError) {
    try checked(av_frame_make_writable(pointer), .outOfMemory, "cannot copy", on: "a frame")
  }

  /// The planes as samples of a type. libav's alignment of rows suits every type.
  private func planes<Sample: PictureSample>(
    of sample: Sample.Type
  ) throws(MediaError) -> [MutablePlane<Sample>] {
    let size = MemoryLayout<Sample>.size
    guard pixelFormat.bytesPerSample == size else {
      throw MediaError(
        .invalidSettings, "the samples are not \(size) bytes each",
        on: "a \(pixelFormat.name) picture")
    }
    return planes.map { plane in
      MutablePlane(
        base: UnsafeMutableRawPointer(plane.base).assumingMemoryBound(to: Sample.self),
        stride: plane.stride / size, width: plane.width, height: plane.height)
    }
  }

  private var planes: [MutablePlane<UInt8>] {
    let strides = [
      pointer.pointee.linesize.0, pointer.pointee.linesize.1, pointer.pointee.linesize.2,
      pointer.pointee.linesize.3,
    ]
    let bases = [
      pointer.pointee.data.0, pointer.pointee.data.1, pointer.pointee.data.2,
      pointer.pointee.data.3,
    ]
    var planes: [MutablePlane<UInt8>] = []
    for (index, shift) in pixelFormat.planes.enumerated() where index < bases.count {
      guard let base = bases[index] else { continue }
      planes.append(
        MutablePlane(
          base: base, stride: Int(strides[index]),
          width: (width + (1 << shift.widthShift) - 1) >> shift.widthShift,
          height: (height + (1 << shift.heightShift) - 1) >> shift.heightShift))
    }
    return planes
  }
}

extension Plane {
  fileprivate init(reading plane: MutablePlane<Sample>) {
    self.init(
      base: UnsafePointer(plane.base), stride: plane.stride, width: plane.width,
      height: plane.height)
  }
}
