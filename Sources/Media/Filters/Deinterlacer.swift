import Timeline

/// De-interlaces frames with libavfilter's `bwdif`: one output frame for each, at the instant of its first field.
///
/// The rows of the first field stay as they are. Those of the second are interpolated from the rows around them, and
/// from the frames before and after. The result depends on these three frames only. Not thread-safe.
final class Deinterlacer {
  private var graph: FilterGraph?
  /// The times of the last two frames sent.
  private var sent: (Int64?, Int64?)
  private var scaler: Scaler?

  /// The de-interlaced frame; `previous` and `next` are `nil` at the ends of the stream.
  ///
  /// - Throws: ``MediaError`` with code `conversionFailed` or `outOfMemory`.
  func frame(_ current: Frame, previous: Frame?, next: Frame?) throws -> Frame {
    let previous = previous.flatMap { $0.isLike(current) ? $0 : nil }
    let next = next.flatMap { $0.isLike(current) ? $0 : nil }
    if graph == nil || sent != (previous?.time, current.time) {
      graph = nil
      if let previous { try send(previous) }
      try send(current)
    }
    while try graph?.pull() != nil {}
    if let next { try send(next) } else { try graph?.push(nil) }
    guard let result = try graph?.pull() else {
      throw MediaError(
        .conversionFailed, "cannot de-interlace", on: "the frame at tick \(current.time)")
    }
    if next == nil { graph = nil }
    result.time = current.time
    return result
  }

  private func send(_ frame: Frame) throws {
    let picture = try planar(frame)
    let graph = try self.graph ?? FilterGraph("bwdif=mode=send_frame:deint=all", for: picture)
    if self.graph == nil { sent = (nil, nil) }
    self.graph = graph
    try graph.push(picture)
    sent = (sent.1, frame.time)
  }

  /// The frame in a pixel format that the filter accepts.
  private func planar(_ frame: Frame) throws -> Frame {
    let format = frame.pixelFormat.planarEquivalent
    guard format != frame.pixelFormat else { return frame }
    let output = Scaler.Output(
      size: PixelSize(width: frame.width, height: frame.height), pixelFormat: format,
      keepsRange: true, chroma: nil)
    let scaler = scaler.flatMap { $0.output == output ? $0 : nil } ?? Scaler(to: output)
    self.scaler = scaler
    return try scaler.scale(frame)
  }
}

extension Frame {
  /// Whether two frames have the same size and pixel format.
  fileprivate func isLike(_ other: Frame) -> Bool {
    width == other.width && height == other.height && pixelFormat == other.pixelFormat
  }
}
