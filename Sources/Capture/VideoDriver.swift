import CCapture
import Glibc

/// The ioctls of one video device.
struct VideoDriver {
  let descriptor: Int32
  /// Whether the interface for multi-planar devices is used.
  let isPlanar: Bool

  /// The maximum number of formats, sizes or intervals that a driver may list.
  private static let longestList: UInt32 = 1024

  /// Makes the descriptor one that does not wait.
  ///
  /// - Throws: ``CaptureError`` if it does not belong to a device that captures video in a supported way.
  init(_ descriptor: Int32) throws(CaptureError) {
    self.descriptor = descriptor
    var abilities = sheaf_video_abilities()
    guard sheaf_video_query(descriptor, &abilities) == 0 else {
      let number = errno
      guard [ENOTTY, EINVAL].contains(number) else {
        throw .system("the device does not answer", number: number)
      }
      throw CaptureError(.unsupported, "this is not a video device", number: number)
    }
    guard abilities.captures || abilities.captures_planar else {
      throw CaptureError(
        .unsupported, "this device does not capture video: use another device of the same hardware")
    }
    guard abilities.streams else {
      throw CaptureError(.unsupported, "this device does not support streaming")
    }
    isPlanar = !abilities.captures
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0 else {
      throw .system("the device cannot be set up", number: errno)
    }
  }

  private func check(
    _ status: Int32, _ problem: @autoclosure () -> String
  ) throws(CaptureError) {
    guard status == 0 else { throw .system(problem(), number: errno) }
  }

  /// Throws if the selected input has no usable signal.
  func checkSignal() throws(CaptureError) {
    var input = sheaf_video_input()
    guard sheaf_video_query_input(descriptor, &input) == 0 else { return }
    if input.has_no_power {
      throw CaptureError(.noSignal, "the selected input has no power")
    }
    if input.has_no_signal {
      throw CaptureError(
        .noSignal, "the device receives no signal: check the cable and the sender")
    }
    if input.has_no_lock {
      throw CaptureError(
        .noSignal, "the device cannot lock to the signal: check the cable and the sender")
    }
  }

  /// Applies the timings of a digital signal, if the input has them.
  ///
  /// - Returns: the interval between pictures; `nil` if the input has no such timings.
  func adoptTimings() throws(CaptureError) -> Fraction? {
    var input = sheaf_video_input()
    guard sheaf_video_query_input(descriptor, &input) == 0, input.has_timings else { return nil }
    var timings = sheaf_video_timings()
    guard sheaf_video_adopt_timings(descriptor, &timings) == 0 else {
      // The device may not detect timings, and have those that its user selected.
      if [ENOTTY, ENODATA].contains(errno) { return nil }
      throw .system("the timings of the signal cannot be set", number: errno)
    }
    return Fraction(reducing: timings.frame_pixels, by: timings.pixel_clock)
  }

  /// The supported formats that the device offers.
  func offers() throws(CaptureError) -> [VideoOffer] {
    var (offers, others): ([VideoOffer], [PixelFormat]) = ([], [])
    for index in 0..<Self.longestList {
      var value: UInt32 = 0
      guard sheaf_video_list_format(descriptor, isPlanar, index, &value) == 0 else { break }
      let format = PixelFormat(rawValue: value)
      guard let coding = format.coding else {
        others.append(format)
        continue
      }
      offers.append(VideoOffer(format, coding, sizes: sizes(of: format)))
    }
    guard offers.isEmpty else { return offers }
    let names = others.prefix(8).map(\.description).joined(separator: ", ")
    throw CaptureError(
      .unsupported,
      "the device offers no supported pixel format" + (names.isEmpty ? "" : ", only \(names)"))
  }

  private func sizes(of format: PixelFormat) -> [VideoSizes] {
    var found: [VideoSizes] = []
    for index in 0..<Self.longestList {
      var sizes = sheaf_video_sizes()
      guard sheaf_video_list_size(descriptor, format.rawValue, index, &sizes) == 0 else { break }
      guard PictureSize(Int(sizes.least_width), Int(sizes.least_height)).isPlausible else {
        continue
      }
      found.append(
        VideoSizes(
          VideoSizes.Steps(
            Int(sizes.least_width), Int(sizes.most_width), by: Int(sizes.width_step)),
          VideoSizes.Steps(
            Int(sizes.least_height), Int(sizes.most_height), by: Int(sizes.height_step))))
    }
    return found
  }

  /// The intervals between pictures that the device lists; empty if it lists none.
  func intervals(of format: PixelFormat, at size: PictureSize) -> [FrameIntervals] {
    guard let width = UInt32(exactly: size.width), let height = UInt32(exactly: size.height) else {
      return []
    }
    var found: [FrameIntervals] = []
    for index in 0..<Self.longestList {
      var intervals = sheaf_video_intervals()
      guard
        sheaf_video_list_interval(descriptor, format.rawValue, width, height, index, &intervals)
          == 0
      else { break }
      guard let least = Fraction(intervals.least_numerator, intervals.least_denominator) else {
        continue
      }
      let most = Fraction(intervals.most_numerator, intervals.most_denominator) ?? least
      found.append(FrameIntervals(least, most))
    }
    return found
  }

  /// The current format.
  func format() throws(CaptureError) -> sheaf_video_format {
    var format = sheaf_video_format()
    try check(
      sheaf_video_get_format(descriptor, isPlanar, &format), "the format of the device is unknown")
    return format
  }

  /// Selects a format, with whole pictures in one block of memory.
  func select(
    _ format: PixelFormat, at size: PictureSize
  ) throws(CaptureError) -> sheaf_video_format {
    // Try the driver's preference first, then interlaced if that means separate fields.
    var result = sheaf_video_format()
    for field in [VideoField.any, .interlaced] {
      result.pixel_format = format.rawValue
      result.width = UInt32(clamping: size.width)
      result.height = UInt32(clamping: size.height)
      result.field = field.rawValue
      try check(
        sheaf_video_set_format(descriptor, isPlanar, &result), "the device rejects \(format)")
      if VideoField(rawValue: result.field).isWholePicture { break }
    }
    guard VideoField(rawValue: result.field).isWholePicture else {
      throw CaptureError(
        .unsupported, "the device delivers the fields of interlaced pictures separately")
    }
    guard result.pixel_format == format.rawValue, result.planes == 1 else {
      throw CaptureError(.unsupported, "the device does not deliver \(format) in one block")
    }
    return result
  }

  /// Selects the interval between pictures, if the device lets it be selected.
  ///
  /// - Parameter wanted: `nil` to keep the current one.
  /// - Returns: the interval that the device states; `nil` if it states none.
  func selectInterval(_ wanted: Fraction?) throws(CaptureError) -> Fraction? {
    var (numerator, denominator): (UInt32, UInt32) = (0, 0)
    if let wanted {
      (numerator, denominator) = (wanted.numerator, wanted.denominator)
      if sheaf_video_set_interval(descriptor, isPlanar, &numerator, &denominator) == 0 {
        return Fraction(numerator, denominator)
      }
      guard [ENOTTY, EINVAL].contains(errno) else {
        throw .system("the frame rate cannot be set", number: errno)
      }
    }
    guard sheaf_video_get_interval(descriptor, isPlanar, &numerator, &denominator) == 0 else {
      return nil
    }
    return Fraction(numerator, denominator)
  }

  /// The interval between pictures of the analog standard; `nil` if the device has none.
  func standardInterval() -> Fraction? {
    var has525Lines = false
    guard sheaf_video_get_standard(descriptor, &has525Lines) == 0 else { return nil }
    return has525Lines ? Fraction(1001, 30000) : Fraction(1, 25)
  }

  /// Allocates buffers.
  ///
  /// - Returns: their number, which the driver decides.
  func requestBuffers(_ count: UInt32) throws(CaptureError) -> UInt32 {
    var granted = count
    try check(
      sheaf_video_request_buffers(descriptor, isPlanar, &granted), "no buffers can be allocated")
    return granted
  }

  /// Maps a buffer.
  func map(_ index: UInt32) throws(CaptureError) -> UnsafeRawBufferPointer {
    var (length, offset): (Int, Int64) = (0, 0)
    try check(
      sheaf_video_query_buffer(descriptor, isPlanar, index, &length, &offset),
      "a buffer cannot be found")
    guard length > 0 else { throw CaptureError(.failed, "the driver allocated an empty buffer") }
    guard
      let address = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, Int(offset)),
      address != MAP_FAILED
    else { throw .system("a buffer cannot be mapped", number: errno) }
    return UnsafeRawBufferPointer(start: address, count: length)
  }

  func queue(_ index: UInt32) throws(CaptureError) {
    try check(
      sheaf_video_queue(descriptor, isPlanar, index), "the device does not take a buffer back")
  }

  /// The next filled buffer; `nil` if there is none.
  func dequeue() throws(CaptureError) -> sheaf_video_picture? {
    var picture = sheaf_video_picture()
    guard sheaf_video_dequeue(descriptor, isPlanar, &picture) == 0 else {
      if errno == EAGAIN { return nil }
      throw .system("the device does not deliver pictures", number: errno)
    }
    return picture
  }

  func start() throws(CaptureError) {
    try check(sheaf_video_start(descriptor, isPlanar), "the device does not start")
  }

  func stop() { _ = sheaf_video_stop(descriptor, isPlanar) }

  /// Asks for events about the signal. Returns whether the device has them.
  func watchSource() -> Bool { sheaf_video_watch_source(descriptor) == 0 }

  /// Whether the signal has changed since the last call.
  func hasSourceChanged() -> Bool {
    var result = false
    for _ in 0..<Self.longestList {
      var hasChanged = false
      guard sheaf_video_take_event(descriptor, &hasChanged) == 0 else { break }
      result = result || hasChanged
    }
    return result
  }
}
