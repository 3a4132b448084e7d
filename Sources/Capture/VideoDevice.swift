import CCapture
import Glibc
import Threads

/// Captures pictures from a video device (V4L2) whose descriptor is already open.
///
/// Not thread-safe. It never waits: callers wait with `poll` for `POLLIN`, but call ``next(_:)`` at least once a second,
/// because a lost signal makes no device ready.
public final class VideoDevice {
  /// The ioctl requests that it makes.
  public static let requests = Array(
    sequence(first: 0) { $0 + 1 }.lazy.map(sheaf_video_request).prefix { $0 != 0 })

  /// The descriptor, to wait for pictures with; -1 once it is closed.
  public private(set) var descriptor: Int32
  /// The format of the pictures.
  public let format: CapturedVideoFormat
  private let driver: VideoDriver
  private let watchesSource: Bool
  private var buffers: [UnsafeRawBufferPointer] = []
  /// Whether the driver has each buffer.
  private var isQueued: [Bool] = []
  private var clock: PictureClock?
  private var lastCheck = Duration.zero

  /// The number of buffers, unless they are large.
  private static let bufferCount = 8
  private static let fewestBuffers = 3
  /// How many bytes the buffers should take at most.
  private static let mostBytes = 256 << 20
  /// How often the signal is checked.
  private static let pause = Duration.seconds(1)

  /// Takes ownership of the descriptor of a video device, which must be open for reading and writing, and chooses a
  /// format.
  ///
  /// The size is the nearest that is offered, without exceeding the requested area if possible. Of the formats that have
  /// it, the one with the highest frame rate up to the requested one is chosen; among equals, H.264 comes first, then
  /// one without compression, otherwise JPEG.
  public init(
    taking descriptor: Int32, _ request: VideoCaptureRequest = VideoCaptureRequest()
  ) throws(CaptureError) {
    do throws(CaptureError) {
      driver = try VideoDriver(descriptor)
      let signalInterval = try driver.adoptTimings()
      try driver.checkSignal()
      watchesSource = driver.watchSource()
      let (selected, coding, interval) = try Self.choose(request, with: driver)
      format = try Self.format(
        selected, coding,
        interval: interval ?? signalInterval ?? driver.standardInterval())
      self.descriptor = descriptor
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    do throws(CaptureError) {
      try allocate(pictureSize: Int(try driver.format().size))
    } catch {
      close()
      throw error
    }
  }

  deinit { close() }

  /// Selects what fits the request best.
  private static func choose(
    _ request: VideoCaptureRequest, with driver: VideoDriver
  ) throws(CaptureError) -> (sheaf_video_format, CapturedVideoFormat.Coding, Fraction?) {
    var offers = try driver.offers()
    if let coding = request.coding {
      offers = offers.filter { $0.coding == coding }
      guard !offers.isEmpty else {
        throw CaptureError(.unsupported, "the device does not offer the requested pixel format")
      }
    }
    let current = try driver.format()
    let known = PictureSize(Int(current.width), Int(current.height))
    guard known.isPlausible else {
      throw CaptureError(.failed, "the driver states a size of \(known.width)x\(known.height)")
    }
    let size = offers.size(for: request, current: known)
    let best = offers.filter { $0.has(size) }.best(upTo: request.limit) {
      driver.intervals(of: $0.pixelFormat, at: size)
    }
    guard let (offer, rate) = best else {
      throw CaptureError(.unsupported, "the device offers no supported format")
    }
    let selected = try driver.select(offer.pixelFormat, at: size)
    let wanted = rate ?? request.framesPerSecond
    return (selected, offer.coding, try driver.selectInterval(wanted?.reciprocal))
  }

  /// Describes what the driver selected.
  private static func format(
    _ selected: sheaf_video_format, _ coding: CapturedVideoFormat.Coding, interval: Fraction?
  ) throws(CaptureError) -> CapturedVideoFormat {
    let (width, height) = (Int(selected.width), Int(selected.height))
    guard PictureSize(width, height).isPlausible, width % 2 == 0, height % 2 == 0 else {
      throw CaptureError(
        .unsupported,
        "the device delivers pictures of \(width)x\(height) pixels, but the width and the height must "
          + "be even: choose another size")
    }
    var (bytesPerLine, size) = (0, 0)
    if case .raw(let layout) = coding {
      // Some drivers state no length for lines without padding.
      let shortest = layout.bytesPerLine(width: width)
      bytesPerLine = selected.bytes_per_line == 0 ? shortest : Int(selected.bytes_per_line)
      guard (shortest...largestLine).contains(bytesPerLine) else {
        throw CaptureError(.failed, "the driver states lines of \(bytesPerLine) bytes")
      }
      size = layout.size(bytesPerLine: bytesPerLine, height: height)
    }
    let color = ColorDescription(
      coding, space: selected.color_space, encoding: selected.encoding,
      quantization: selected.quantization)
    return CapturedVideoFormat(
      coding: coding, width: width, height: height, bytesPerLine: bytesPerLine, size: size,
      fieldOrder: VideoField(rawValue: selected.field).order(height: height) ?? .progressive,
      frameInterval: interval, range: color.range, matrix: color.matrix)
  }

  private static let largestLine = 1 << 19

  /// Allocates, maps and queues the buffers.
  private func allocate(pictureSize: Int) throws(CaptureError) {
    let fitting = Self.mostBytes / max(1, pictureSize)
    let wanted = min(Self.bufferCount, max(Self.fewestBuffers, fitting))
    let count = try driver.requestBuffers(UInt32(wanted))
    guard count > 1 else {
      throw CaptureError(.failed, "the driver allocates too few buffers: free some memory")
    }
    for index in 0..<count {
      buffers.append(try driver.map(index))
      try driver.queue(index)
      isQueued.append(true)
    }
  }

  /// Starts to capture. Call it once.
  public func start() throws(CaptureError) {
    guard descriptor >= 0, clock == nil else { return }
    try driver.start()
    let now = MonotonicClock.now
    clock = PictureClock(start: now)
    lastCheck = now
  }

  /// Lends the next picture to a closure, if one is ready, and then returns its buffer to the driver.
  ///
  /// - Parameter use: must not keep the bytes.
  /// - Returns: the result of the closure; `nil` if no picture is ready.
  /// - Throws: ``CaptureError`` if the device no longer captures; what the closure throws.
  public func next<Result>(_ use: (CapturedPicture) throws -> Result) throws -> Result? {
    guard descriptor >= 0 else { throw CaptureError(.failed, "the device is closed") }
    try checkSignal(at: MonotonicClock.now)
    guard let filled = try driver.dequeue() else { return nil }
    let now = MonotonicClock.now
    let index = Int(filled.index)
    guard buffers.indices.contains(index), isQueued[index] else {
      throw CaptureError(.failed, "the driver returned a buffer that it does not have")
    }
    isQueued[index] = false
    let result = Swift.Result { try use(picture(filled, in: buffers[index], at: now)) }
    try driver.queue(filled.index)
    isQueued[index] = true
    return try result.get()
  }

  /// Throws if the signal has changed or is lost.
  private func checkSignal(at now: Duration) throws(CaptureError) {
    let hasChanged = watchesSource && driver.hasSourceChanged()
    guard hasChanged || now - lastCheck >= Self.pause else { return }
    lastCheck = now
    try driver.checkSignal()
    // Pictures of the new signal would have another size, or none would come.
    if hasChanged {
      throw CaptureError(.noSignal, "the format of the signal changed")
    }
  }

  /// Describes a filled buffer, whose numbers may be invalid.
  private func picture(
    _ filled: sheaf_video_picture, in buffer: UnsafeRawBufferPointer, at now: Duration
  ) -> CapturedPicture {
    let end = min(Int(filled.end), buffer.count)
    let begin = min(Int(filled.begin), end)
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[begin..<end])
    let stamp = Duration.seconds(filled.seconds) + .microseconds(filled.microseconds)
    let (time, lost) =
      clock?.take(
        sequence: filled.sequence, stamp: filled.is_monotonic ? stamp : nil, now: now) ?? (now, 0)
    let isComplete =
      !bytes.isEmpty && bytes.count >= format.size && Int(filled.end) <= buffer.count
    return CapturedPicture(
      bytes: bytes, time: time, lost: lost, isDamaged: filled.is_damaged || !isComplete)
  }

  /// Stops, frees the buffers and closes the descriptor.
  public func close() {
    guard descriptor >= 0 else { return }
    if clock != nil { driver.stop() }
    for buffer in buffers {
      munmap(UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count)
    }
    buffers = []
    Glibc.close(descriptor)
    descriptor = -1
  }
}
