import Crypto
import Planning
import Support
import Timeline

/// The files that a fuzzed project may name. None of them exists.
enum Clips {
  /// The index of a file, by its extension.
  static func index(of path: String) -> MediaIndex {
    kinds.first { path.hasSuffix($0.key) }?.value ?? film
  }

  private static let film = made { try .clip(seconds: RationalTime(20), rate: RationalTime(10)) }

  private static let kinds = [
    ".mov": made {
      try .clip(
        seconds: RationalTime(8), rate: RationalTime(30_000, 1001),
        size: PixelSize(width: 640, height: 360),
        orientation: Orientation(quarterTurns: 1, isMirrored: false),
        keyframeInterval: 12, hasAudio: false, start: RationalTime(1, 3))
    },
    ".m4a": MediaIndex.sound(seconds: RationalTime(20)),
    ".png": MediaIndex.stillImage(size: PixelSize(width: 320, height: 180)),
  ]

  private static func made(_ index: () throws -> MediaIndex) -> MediaIndex {
    do { return try index() } catch { preconditionFailure("no index of a clip: \(error)") }
  }

  /// A picture of 100 × 50 pixels for a layer, or a picture of a time code's twelve glyphs of 10 × 20.
  static func raster(_ request: RasterRequest) -> LayerRaster {
    let size =
      request.content.kind == .timecode
      ? PixelSize(width: 120, height: 20) : PixelSize(width: 100, height: 50)
    let area = PixelRect(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    let tiles = MediaIndex.stillImage(size: size).video.map {
      RasterTile(asset: Digest.of([UInt8]()), byteCount: 77, area: area, stream: $0)
    }
    return LayerRaster(path: request.path, bounds: request.bounds ?? area, tiles: tiles)
  }
}
