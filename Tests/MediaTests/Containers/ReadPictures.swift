import Media
import Support
import Timeline

/// The pictures of a file, read as a renderer does, as red, green, blue and alpha.
struct ReadPictures {
  let index: MediaIndex
  private let path: String

  init(_ path: String) throws {
    self.path = path
    index = try MediaProber.index(of: FileByteSource(path: path), named: path)
  }

  /// The start of each frame, and the end of the last one, in milliseconds.
  var milliseconds: [Int64] {
    get throws {
      let stream = index.video[0]
      return try (stream.frames.times + [stream.frames.end]).map {
        try (stream.timeBase * $0 * 1000).ticks(of: RationalTime(1), rounding: .nearest)
      }
    }
  }

  /// The pixels of frames with these numbers, read in this order by one reader.
  func frames(_ numbers: [Int]) throws -> [Pixels] {
    let stream = index.video[0]
    let reader = try FrameReader(
      source: FileByteSource(path: path), named: path, stream: stream)
    return try numbers.map { number in
      let frame = try reader.frame(at: stream.frames.times[number])
      let scaled = try Scaler(to: Scaler.Output(size: stream.size, pixelFormat: .rgba)).scale(frame)
      var bytes: [UInt8] = []
      try scaled.withUnsafePlanes(of: UInt8.self) { planes in
        for row in 0..<scaled.height {
          let start = planes[0].base + row * planes[0].stride
          bytes += (0..<scaled.width * 4).map { start[$0] }
        }
      }
      return Pixels(width: scaled.width, bytes: bytes)
    }
  }

  struct Pixels: Equatable {
    let width: Int
    let bytes: [UInt8]

    /// Red, green, blue and alpha.
    func at(_ x: Int, _ y: Int) -> [Int] {
      bytes[(y * width + x) * 4..<(y * width + x) * 4 + 4].map(Int.init)
    }

    /// Whether the pixel has a color, within the error of a codec.
    func shows(_ color: [Int], at x: Int, _ y: Int) -> Bool {
      zip(at(x, y), color).allSatisfy { abs($0 - $1) <= 8 }
    }
  }
}
