import Crypto
import Foundation
import Media
import Planning
import ProjectFormat
import Synchronization
import Timeline

/// Draws the contents of layers as pictures: text, shapes, images and colors, each once, at the size that it needs.
///
/// The same layers yield the same bytes on one host, but fonts differ between hosts. Pictures are named by their
/// content.
public final class LayerTypesetter {
  /// Opens an asset's image; returns `nil` if there is no such asset.
  public typealias Open = (_ asset: String) throws -> (any ByteSource)?

  private let open: Open
  private let directory: String
  private let root: FindingPath
  private var catalog: FontCatalog?
  private var count = 0

  /// The most pixels in the picture of a layer. Larger content is drawn at a lower scale.
  private static let greatestArea = 16_000_000.0

  /// Creates a typesetter.
  ///
  /// - Parameters:
  ///   - directory: the directory for the pictures, each a file named after its SHA-256.
  ///   - root: the place of the layer tree in the project file, for error messages.
  ///   - open: opens an image by its asset's name.
  public init(
    directory: String, root: FindingPath = "videoComposition.animation", open: @escaping Open
  ) {
    self.directory = directory
    self.root = root
    self.open = open
  }

  /// Creates a typesetter of images in files by asset name, without checking their bytes.
  public convenience init(
    files: [String: String], directory: String, root: FindingPath = "videoComposition.animation"
  ) {
    self.init(directory: directory, root: root) { asset in
      try files[asset].map { try FileByteSource(path: $0, named: asset) }
    }
  }

  /// Draws the pictures.
  ///
  /// - Throws: ``ProjectError`` with all problems of the layers, or `FileWriteError` if the system cannot write a
  ///   picture, e.g. because the disk is full.
  public func rasters(for requests: [RasterRequest]) throws -> [LayerRaster] {
    var findings: [Finding] = []
    var rasters: [LayerRaster] = []
    for request in requests {
      do {
        rasters.append(try raster(for: request))
      } catch let error as TypesettingError {
        findings.append(
          Finding(
            path: "\(request.path.place(in: root)).\(error.key)",
            problem: error.problem, remedy: error.remedy))
      }
    }
    guard findings.isEmpty else { throw ProjectError(findings: findings) }
    return rasters
  }

  private func raster(for request: RasterRequest) throws -> LayerRaster {
    try Canvas.letters.withLock { _ in try draw(request) }
  }

  private func draw(_ request: RasterRequest) throws -> LayerRaster {
    switch request.content {
    case .text(let text): try raster(of: text, request)
    case .shape(let shape): try raster(of: shape, request)
    case .solid(let color): try raster(of: color, request)
    case .image(let asset): try raster(ofAsset: asset, request)
    case .timecode(let timecode): try raster(of: timecode, request)
    case .group, .video:
      LayerRaster(path: request.path, bounds: request.bounds ?? Self.point, tiles: [])
    }
  }

  private static let point = PixelRect(x: 0, y: 0, width: 1, height: 1)

  func fonts() throws -> FontCatalog {
    if let catalog { return catalog }
    let catalog = try FontCatalog()
    self.catalog = catalog
    return catalog
  }

  /// The scale, up to `wanted`, at which the picture of an area stays within the size limits.
  func scale(_ wanted: Double, for area: PixelRect) -> Double {
    let pixels = area.width * area.height * wanted * wanted
    let longest = max(area.width, area.height) * wanted
    return wanted
      * min(
        1, (Self.greatestArea / max(pixels, 1)).squareRoot(),
        Double(Canvas.longestSide) / max(longest, 1))
  }

  // MARK: Kinds

  private func raster(of text: TextContent, _ request: RasterRequest) throws -> LayerRaster {
    func layout(_ scale: Double) throws -> TextLayout {
      try TextLayout(text, width: request.bounds?.width, scale: scale, fonts: fonts())
    }
    var scale = min(request.scale, TextLayout.largestSize / text.font.size)
    var lines = try layout(scale)
    let fitting = self.scale(scale, for: lines.ink)
    if fitting < scale {
      scale = fitting
      lines = try layout(scale)
    }
    let size = lines.size
    let bounds =
      request.bounds ?? PixelRect(x: 0, y: 0, width: size.width, height: size.height)
    let ink = lines.ink
    let grid = PixelGrid(
      covering: PixelRect(
        x: bounds.x + ink.x, y: bounds.y + ink.y, width: ink.width, height: ink.height),
      scale: scale)
    let canvas = try Canvas(width: grid.width, height: grid.height)
    try lines.draw(
      on: canvas, x: bounds.x * scale - Double(grid.left), y: bounds.y * scale - Double(grid.top))
    return LayerRaster(
      path: request.path, bounds: bounds,
      tiles: try CanvasTiles.boxes(of: canvas).map { box in
        try write(canvas, box, area: grid.area(of: box))
      })
  }

  private func raster(of shape: ShapeContent, _ request: RasterRequest) throws -> LayerRaster {
    let bounds = request.bounds ?? Self.point
    if case .path = shape.outline { return try raster(ofPath: shape, bounds, request) }
    let area = ShapeMarkup.area(of: shape, bounds: bounds)
    let canvas = try self.canvas(over: area, scale: scale(request.scale, for: area))
    let size = PixelRect(
      x: 0, y: 0, width: Double(canvas.width), height: Double(canvas.height))
    try VectorPicture(ShapeMarkup.document(shape, bounds: bounds, area: area))
      .draw(on: canvas, in: size)
    return LayerRaster(
      path: request.path, bounds: bounds, tiles: [try write(canvas, area: area)])
  }

  /// A path is drawn completely, even outside its bounds.
  private func raster(
    ofPath shape: ShapeContent, _ bounds: PixelRect, _ request: RasterRequest
  ) throws -> LayerRaster {
    let measured = try VectorPicture(ShapeMarkup.document(shape, bounds: bounds, area: bounds))
      .ink(of: bounds)
    let ink = PixelRect(
      x: bounds.x + measured.x, y: bounds.y + measured.y, width: measured.width,
      height: measured.height)
    let grid = PixelGrid(covering: ink, scale: scale(request.scale, for: ink))
    let whole = PixelBox(left: 0, top: 0, width: grid.width, height: grid.height)
    let area = grid.area(of: whole)
    let canvas = try Canvas(width: grid.width, height: grid.height)
    try VectorPicture(ShapeMarkup.document(shape, bounds: bounds, area: area))
      .draw(
        on: canvas,
        in: PixelRect(x: 0, y: 0, width: Double(grid.width), height: Double(grid.height)))
    return LayerRaster(
      path: request.path, bounds: bounds, tiles: [try write(canvas, whole, area: area)])
  }

  private func raster(of color: Color, _ request: RasterRequest) throws -> LayerRaster {
    let bounds = request.bounds ?? Self.point
    let canvas = try Canvas(width: 1, height: 1)
    canvas.setColor(color)
    canvas.paint()
    return LayerRaster(
      path: request.path, bounds: bounds, tiles: [try write(canvas, area: bounds)])
  }

  private func raster(ofAsset asset: String, _ request: RasterRequest) throws -> LayerRaster {
    let source: any ByteSource
    do {
      guard let opened = try open(asset) else {
        throw TypesettingError(
          "the asset \"\(asset)\" is missing", key: "asset", remedy: "submit its file")
      }
      source = opened
    } catch let error as MediaError where error.code == .readFailed {
      throw TypesettingError(
        "cannot read the asset \"\(asset)\"", key: "asset",
        remedy: "check that the file exists and is readable")
    }
    let start = try source.bytes(upTo: 16)
    if start.starts(with: [0x89, 0x50, 0x4E, 0x47]) || start.starts(with: [0xFF, 0xD8, 0xFF])
      || start.dropFirst(4).starts(with: "ftyp".utf8)
    {
      return try raster(of: PixelPicture(source, named: asset), request)
    }
    guard start.contains(UInt8(ascii: "<")) else { throw PixelPicture.wrongKind }
    guard source.size < Int64(Self.documentLimit) else {
      throw TypesettingError("the SVG is too large", key: "asset", remedy: "simplify it")
    }
    let document = try source.bytes(upTo: Self.documentLimit)
    if let reference = ExternalReferences.first(in: document) {
      throw TypesettingError(
        "the SVG refers to an external resource: \(reference)", key: "asset",
        remedy: "embed it, or remove the reference")
    }
    return try raster(of: VectorPicture(document), request)
  }

  /// The largest SVG that is read, in bytes.
  private static let documentLimit = 32 << 20

  private func raster(of picture: VectorPicture, _ request: RasterRequest) throws -> LayerRaster {
    guard let bounds = picture.size.map({ request.area(of: $0) }) ?? request.bounds else {
      throw TypesettingError(
        "the SVG has no size", remedy: "set the layer's \"bounds\"")
    }
    let canvas = try self.canvas(over: bounds, scale: scale(request.scale, for: bounds))
    try picture.draw(
      on: canvas,
      in: PixelRect(x: 0, y: 0, width: Double(canvas.width), height: Double(canvas.height)))
    return LayerRaster(
      path: request.path, bounds: bounds, tiles: [try write(canvas, area: bounds)])
  }

  /// A picture that is only shown smaller than its own size is reduced. It is never enlarged: the compositor does that.
  private func raster(of picture: PixelPicture, _ request: RasterRequest) throws -> LayerRaster {
    let bounds = request.area(of: picture.size)
    let scale = scale(request.scale, for: bounds)
    let canvas = try Canvas(
      width: max(Int(min(picture.size.width, (bounds.width * scale).rounded(.up))), 1),
      height: max(Int(min(picture.size.height, (bounds.height * scale).rounded(.up))), 1))
    picture.draw(on: canvas)
    return LayerRaster(
      path: request.path, bounds: bounds, tiles: [try write(canvas, area: bounds)])
  }

  // MARK: Files

  private func canvas(over area: PixelRect, scale: Double) throws -> Canvas {
    try Canvas(
      width: max(Int((area.width * scale).rounded(.up)), 1),
      height: max(Int((area.height * scale).rounded(.up)), 1))
  }

  func write(_ canvas: Canvas, area: PixelRect) throws -> RasterTile {
    try write(
      canvas, PixelBox(left: 0, top: 0, width: canvas.width, height: canvas.height), area: area)
  }

  private func write(_ canvas: Canvas, _ box: PixelBox, area: PixelRect) throws -> RasterTile {
    count += 1
    let temporary = "\(directory)/raster-\(count).part"
    let file = try HashedFile(temporary)
    try canvas.write(box, to: file)
    let digest = file.finish()
    let path = "\(directory)/\(digest)"
    guard rename(temporary, path) == 0 else { throw FileWriteError(path: path, number: errno) }
    let source = try FileByteSource(path: path)
    let index = try MediaProber.index(of: source, named: "the picture")
    guard let stream = index.video.first else {
      throw TypesettingError("cannot read the picture")
    }
    return RasterTile(asset: digest, byteCount: file.byteCount, area: area, stream: stream)
  }
}

extension RasterRequest {
  /// The rectangle that an image of the given size fills.
  fileprivate func area(of size: (width: Double, height: Double)) -> PixelRect {
    guard let bounds else { return PixelRect(x: 0, y: 0, width: size.width, height: size.height) }
    return (gravity ?? .resize).area(width: size.width, height: size.height, in: bounds)
  }
}

/// The pixels of a picture in a layer's space, aligned to whole pixels from its origin.
private struct PixelGrid {
  let left: Int
  let top: Int
  let width: Int
  let height: Int
  private let scale: Double

  init(covering area: PixelRect, scale: Double) {
    self.scale = scale
    left = Int((area.x * scale).rounded(.down)) - 1
    top = Int((area.y * scale).rounded(.down)) - 1
    width = max(Int(((area.x + area.width) * scale).rounded(.up)) + 1 - left, 1)
    height = max(Int(((area.y + area.height) * scale).rounded(.up)) + 1 - top, 1)
  }

  /// The area of a part of the picture in the layer's space.
  func area(of box: PixelBox) -> PixelRect {
    PixelRect(
      x: Double(left + box.left) / scale, y: Double(top + box.top) / scale,
      width: Double(box.width) / scale, height: Double(box.height) / scale)
  }
}
