import CPango
import Media
import ProjectFormat
import Timeline

/// The picture of a PNG, JPEG, HEIC or AVIF file.
struct PixelPicture {
  private let canvas: Canvas
  /// The transform from its pixels to the upright picture.
  private let turn: AffineTransform
  /// The size of the upright picture, in pixels.
  let size: (width: Double, height: Double)

  /// Decodes an image, called `name` in messages.
  ///
  /// - Throws: ``TypesettingError``; `MediaError` if its bytes are damaged.
  init(_ source: any ByteSource, named name: String) throws {
    do {
      let index = try MediaProber.index(of: source, named: name)
      guard index.isStillImage || index.format != "apng" else {
        throw TypesettingError(
          "the image is animated", key: "asset",
          remedy: "use a still image, or use the animation as a clip")
      }
      guard index.isStillImage, let stream = index.video.first,
        ["png", "apng", "mjpeg"].contains(stream.codec) || index.format == "heif"
      else { throw Self.wrongKind }
      let reader = try FrameReader(source: source, named: name, stream: stream)
      let decoded = try reader.frame(at: stream.frames.times.first ?? 0)
      let frame = try Scaler(to: Scaler.Output(size: stream.size, pixelFormat: .rgba))
        .scale(decoded)
      canvas = try Self.premultiplied(frame)
      let bounds = stream.orientedBounds
      turn = AffineTransform(
        a: stream.displayBounds.width / Double(stream.size.width), b: 0, c: 0, d: 1, tx: 0, ty: 0
      ).concatenating(stream.preferredTransform)
      size = (bounds.width, bounds.height)
    } catch let error as TypesettingError {
      throw error
    } catch let error as MediaError where error.code == .damagedAsset {
      throw error
    } catch {
      throw TypesettingError(
        "cannot decode the image: \(error)", key: "asset",
        remedy: "use a PNG, JPEG, HEIC, AVIF or SVG file")
    }
  }

  static let wrongKind = TypesettingError(
    "the file cannot be used as the image of a layer", key: "asset",
    remedy: "use a PNG, JPEG, HEIC, AVIF or SVG file")

  private static func premultiplied(_ frame: Frame) throws -> Canvas {
    let canvas = try Canvas(width: frame.width, height: frame.height)
    try frame.withUnsafePlanes(of: UInt8.self) { planes in
      guard let plane = planes.first else { return }
      _ = canvas.withPixels { pixels, stride in
        for row in 0..<frame.height {
          let (from, to) = (plane.base + row * plane.stride, pixels + row * stride)
          for column in 0..<frame.width {
            let source = from + column * 4
            let alpha = UInt32(source[3])
            func times(_ value: UInt8) -> UInt8 { UInt8((UInt32(value) * alpha + 127) / 255) }
            let target = to + column * 4
            (target[0], target[1]) = (times(source[2]), times(source[1]))
            (target[2], target[3]) = (times(source[0]), source[3])
          }
        }
      }
    }
    return canvas
  }

  /// Draws the picture so that it fills another one.
  func draw(on target: Canvas) {
    cairo_save(target.context)
    defer { cairo_restore(target.context) }
    cairo_scale(
      target.context, Double(target.width) / size.width, Double(target.height) / size.height)
    var matrix = cairo_matrix_t(
      xx: turn.a, yx: turn.b, xy: turn.c, yy: turn.d, x0: turn.tx, y0: turn.ty)
    cairo_transform(target.context, &matrix)
    canvas.paint(on: target)
  }
}
