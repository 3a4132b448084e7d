import CFFmpeg
import Timeline

/// Converts interlaced pictures to another pixel layout. Each field is converted for itself, so that the colors of two
/// instants are not mixed where the rows of chroma become fewer. Not thread-safe.
final class FieldScaler {
  private let output: Scaler.Output
  private let scaler: Scaler
  /// Converts RGB, whose matrix depends on the height of whole pictures.
  private let colorScaler: Scaler

  /// Returns `nil` if the fields cannot be divided into rows of chroma.
  init?(to output: Scaler.Output) {
    guard output.size.height % 4 == 0 else { return nil }
    self.output = output
    var half = output
    half.size.height /= 2
    scaler = Scaler(to: half)
    half.matrix = output.matrix ?? Scaler.assumedMatrix(height: output.size.height)
    colorScaler = Scaler(to: half)
  }

  /// The picture in the output's layout; `nil` if its rows of chroma stay, so that its fields need not be separated.
  ///
  /// - Throws: ``MediaError`` with code `conversionFailed` or `outOfMemory`.
  func scale(_ frame: Frame) throws -> Frame? {
    let format = frame.pixelFormat
    guard format.chromaShifts.down != output.pixelFormat.chromaShifts.down,
      frame.height == output.size.height
    else { return nil }
    let result = try Frame(
      width: output.size.width, height: output.size.height, pixelFormat: output.pixelFormat)
    for field in [VideoSettings.Field.top, .bottom] {
      let converted = try (format.isRGB ? colorScaler : scaler).scale(frame.rows(of: field))
      if field == .top {
        try checked(
          av_frame_copy_props(result.pointer, converted.pointer), .outOfMemory, "cannot copy",
          on: "a frame's tags")
      }
      try result.rows(of: field).copy(from: converted)
    }
    result.time = frame.time
    return result
  }
}

extension Frame {
  /// Overwrites the pixels with those of another picture of the same size and layout.
  fileprivate func copy(from other: Frame) throws {
    try checked(
      av_frame_copy(pointer, other.pointer), .conversionFailed,
      "cannot join the fields of a picture", on: pixelFormat.name)
  }

  /// The rows of a field, as a picture of half the height that shares the memory.
  fileprivate func rows(of field: VideoSettings.Field) throws -> Frame {
    let rows = try Frame(sharing: self)
    rows.pointer.pointee.height /= 2
    withUnsafeMutablePointer(to: &rows.pointer.pointee.linesize) { sizes in
      withUnsafeMutablePointer(to: &rows.pointer.pointee.data) { planes in
        let count = Int(AV_NUM_DATA_POINTERS)
        sizes.withMemoryRebound(to: Int32.self, capacity: count) { sizes in
          planes.withMemoryRebound(to: UnsafeMutablePointer<UInt8>?.self, capacity: count) {
            for plane in 0..<count {
              if field == .bottom { $0[plane] = $0[plane].map { $0 + Int(sizes[plane]) } }
              sizes[plane] *= 2
            }
          }
        }
      }
    }
    return rows
  }
}
