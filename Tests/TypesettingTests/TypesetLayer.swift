import Foundation
import Media
import Planning
import Support
import Timeline
import Typesetting

/// A layer's pictures, read back as straight red, green, blue and alpha.
struct TypesetLayer {
  let raster: LayerRaster
  private let pixels: [[UInt8]]

  /// Typesets one layer's content.
  init(
    _ content: LayerContent, bounds: PixelRect? = nil, scale: Double = 1,
    files: [String: String] = [:], gravity: ContentsGravity? = nil
  ) throws {
    let directory = try TemporaryDirectory()
    let typesetter = LayerTypesetter(files: files, directory: directory.path)
    let rasters = try typesetter.rasters(for: [
      RasterRequest(
        path: LayerPath([0]), content: content, bounds: bounds, scale: scale, gravity: gravity)
    ])
    guard let raster = rasters.first else { throw CocoaError(.featureUnsupported) }
    self.raster = raster
    pixels = try raster.tiles.map { tile in
      let source = try FileByteSource(path: "\(directory.path)/\(tile.asset)")
      let decoded = try FrameReader(source: source, named: "raster", stream: tile.stream)
        .frame(at: tile.stream.frames.times.first ?? 0)
      let frame = try Scaler(to: Scaler.Output(size: tile.stream.size, pixelFormat: .rgba))
        .scale(decoded)
      return try frame.withUnsafePlanes(of: UInt8.self) { planes in
        (0..<frame.height).flatMap { row in
          Array(
            UnsafeBufferPointer(
              start: planes[0].base + row * planes[0].stride, count: frame.width * 4))
        }
      }
    }
  }

  /// The layer's red, green, blue and alpha at a pixel of its space, whose scale is 1.
  func pixel(_ x: Int, _ y: Int) -> [UInt8] {
    for (tile, bytes) in zip(raster.tiles, pixels) {
      let (column, row) = (x - Int(tile.area.x), y - Int(tile.area.y))
      let size = tile.stream.size
      guard (0..<size.width).contains(column), (0..<size.height).contains(row) else { continue }
      let start = (row * size.width + column) * 4
      return Array(bytes[start..<start + 4])
    }
    return [0, 0, 0, 0]
  }

  /// The columns of the layer's space that are not clear.
  var columns: ClosedRange<Int>? {
    var shown: [Int] = []
    for (tile, bytes) in zip(raster.tiles, pixels) {
      let width = tile.stream.size.width
      for column in 0..<width {
        let shows = stride(from: column * 4 + 3, to: bytes.count, by: width * 4)
          .contains { bytes[$0] > 0 }
        if shows { shown.append(column + Int(tile.area.x)) }
      }
    }
    guard let first = shown.min(), let last = shown.max() else { return nil }
    return first...last
  }

  /// The sum of all alpha, in pixels.
  var coverage: Double {
    pixels.reduce(0) { sum, bytes in
      sum + stride(from: 3, to: bytes.count, by: 4).reduce(0.0) { $0 + Double(bytes[$1]) / 255 }
    }
  }

  /// The number of opaque pixels of a color.
  func count(of color: Color) -> Int {
    pixels.reduce(0) { sum, bytes in
      sum
        + stride(from: 0, to: bytes.count, by: 4).count {
          bytes[$0] == color.red && bytes[$0 + 1] == color.green && bytes[$0 + 2] == color.blue
            && bytes[$0 + 3] == 255
        }
    }
  }
}
