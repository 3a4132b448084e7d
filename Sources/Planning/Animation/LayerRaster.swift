import Crypto
import Timeline

/// A request to draw a layer's content.
public struct RasterRequest: Hashable, Codable, Sendable {
  /// The layer's path.
  public var path: LayerPath
  /// The content: neither a group nor the video.
  public var content: LayerContent
  /// The layer's rectangle in its own space; `nil` means the size of the content.
  public var bounds: PixelRect?
  /// The number of the picture's pixels per pixel of the layer's space.
  public var scale: Double
  /// How an image lies in the bounds; `nil` if it is stretched over them.
  public var gravity: ContentsGravity?

  /// Creates a request.
  public init(
    path: LayerPath, content: LayerContent, bounds: PixelRect?, scale: Double,
    gravity: ContentsGravity? = nil
  ) {
    self.path = path
    self.content = content
    self.bounds = bounds
    self.scale = scale
    self.gravity = gravity
  }
}

/// A layer's content as pictures.
public struct LayerRaster: Hashable, Codable, Sendable {
  /// The layer's path.
  public var path: LayerPath
  /// The rectangle that the content fills in the layer's own space: the layer's bounds, or a smaller or larger
  /// rectangle for an image that is not stretched over them.
  public var bounds: PixelRect
  /// The visible parts of the content. A time code has one tile with ``TimecodeClock``'s glyphs side by side, all of
  /// the same width.
  public var tiles: [RasterTile]

  /// Creates a raster.
  public init(path: LayerPath, bounds: PixelRect, tiles: [RasterTile]) {
    self.path = path
    self.bounds = bounds
    self.tiles = tiles
  }
}

/// A picture of a part of a layer: a still image with straight alpha.
public struct RasterTile: Hashable, Codable, Sendable {
  /// The file's SHA-256.
  public var asset: Digest
  /// The file's length in bytes.
  public var byteCount: Int64
  /// The area of the picture in the layer's space.
  public var area: PixelRect
  /// The picture's stream, as in the file's media index.
  public var stream: VideoStream

  /// Creates a tile.
  public init(asset: Digest, byteCount: Int64, area: PixelRect, stream: VideoStream) {
    self.asset = asset
    self.byteCount = byteCount
    self.area = area
    self.stream = stream
  }
}

extension TimecodeClock {
  /// The glyphs of time codes, in the order in which a raster contains them.
  public static let glyphs = Array("0123456789:;")

  /// The number of glyphs in a time code.
  public var length: Int { 9 + frameDigits }
}
