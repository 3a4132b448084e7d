import Foundation

/// A lossless clip whose file has an orientation, a pixel aspect ratio and a clean aperture.
///
/// The boxes are written by this code, because `ffmpeg` writes neither mirroring nor clean apertures.
public struct TurnedClip: Sendable {
  /// Columns, even.
  public var width: Int
  /// Rows, even.
  public var height: Int
  /// The display matrix's a, b, c and d: each −1, 0 or 1.
  public var matrix: (a: Int, b: Int, c: Int, d: Int)
  /// The width of a pixel over its height, as ffmpeg reads it.
  public var pixelAspectRatio: String
  /// The columns and rows of the clean aperture, which is centered; `nil` for none.
  public var aperture: (width: Int, height: Int)?

  /// Creates a clip with the given properties.
  public init(
    width: Int, height: Int, matrix: (a: Int, b: Int, c: Int, d: Int) = (1, 0, 0, 1),
    pixelAspectRatio: String = "1", aperture: (width: Int, height: Int)? = nil
  ) {
    self.width = width
    self.height = height
    self.matrix = matrix
    self.pixelAspectRatio = pixelAspectRatio
    self.aperture = aperture
  }

  /// Writes four equal frames with `luma`, row after row.
  ///
  /// - Parameters:
  ///   - chroma: the samples of both chroma planes, one plane after the other; `nil` for no color.
  ///   - format: how chroma is sampled, by libav's name.
  ///   - site: the chroma location, as H.264 numbers it; `nil` if the file does not name it.
  public func write(
    _ luma: [UInt8], chroma: [UInt8]? = nil, as format: String = "yuv420p", site: Int? = nil,
    to path: String
  ) throws {
    let raw = path + ".yuv"
    let picture =
      Data(luma) + Data(chroma ?? [UInt8](repeating: 128, count: width * height / 2))
    try Data((0..<4).flatMap { _ in picture }).write(to: URL(fileURLWithPath: raw))
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", format, "-r", "30", "-s",
        "\(width)x\(height)", "-i", raw, "-vf",
        "setsar=\(pixelAspectRatio)", "-c:v", "libx264",
        "-preset", "ultrafast", "-qp", "0", "-bitexact",
      ] + (site.map { ["-bsf:v", "h264_metadata=chroma_sample_loc_type=\($0)"] } ?? []) + [path])
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    turn(&bytes)
    if let aperture { declare(aperture, in: &bytes) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  /// ISO 14496-12, 8.3.2: at byte 40 of the track header are nine numbers, with 16 fractional bits except every third.
  private func turn(_ bytes: inout [UInt8]) {
    guard let header = Self.position(of: "tkhd", in: bytes) else { return }
    let numbers = [matrix.a, matrix.b, 0, matrix.c, matrix.d, 0, 0, 0].map { Int32($0) << 16 }
    for (number, value) in numbers.enumerated() {
      Self.put(value, at: header + 4 + 40 + 4 * number, in: &bytes)
    }
  }

  /// ISO 14496-12, 12.1.4, at the end of the sample description. The movie box is after its samples, so no offset
  /// changes.
  private func declare(_ aperture: (width: Int, height: Int), in bytes: inout [UInt8]) {
    guard let entry = Self.position(of: "avc1", in: bytes, behind: "stsd") else { return }
    let end = entry - 4 + Self.number(at: entry - 4, in: bytes)
    let box = [40, 0, aperture.width, 1, aperture.height, 1, 0, 1, 0, 1].flatMap { number in
      stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
    bytes.insert(contentsOf: box, at: end)
    bytes.replaceSubrange(end + 4..<end + 8, with: Array("clap".utf8))
    for type in ["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"] {
      let place = type == "avc1" ? entry : Self.position(of: type, in: bytes)
      guard let place else { continue }
      let length = Self.number(at: place - 4, in: bytes) + 40
      Self.put(Int32(length), at: place - 4, in: &bytes)
    }
  }

  /// The position of the first occurrence of a box's type, after that of `other` if given.
  private static func position(
    of type: String, in bytes: [UInt8], behind other: String? = nil
  ) -> Int? {
    let wanted = Array(type.utf8)
    let start = other.flatMap { position(of: $0, in: bytes) } ?? 0
    return (start..<bytes.count - 4).first {
      bytes[$0] == wanted[0]
        && Array(bytes[$0..<$0 + 4]) == wanted
    }
  }

  private static func number(at place: Int, in bytes: [UInt8]) -> Int {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private static func put(_ value: Int32, at place: Int, in bytes: inout [UInt8]) {
    for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: value >> (24 - 8 * byte)) }
  }
}
