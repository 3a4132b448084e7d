import CPango
import Crypto
import ProjectFormat
import Synchronization

/// A picture of premultiplied red, green, blue and alpha that Cairo draws on.
package final class Canvas {
  /// Columns.
  let width: Int
  /// Rows.
  let height: Int
  /// The Cairo context.
  let context: OpaquePointer
  private let surface: OpaquePointer

  /// The longest side that Cairo supports, in pixels.
  static let longestSide = 32_000

  /// Creates a clear picture, with a single channel if it is a mask.
  ///
  /// - Throws: ``TypesettingError`` if there is not enough memory.
  package init(width: Int, height: Int, isMask: Bool = false) throws(TypesettingError) {
    let surface = cairo_image_surface_create(
      isMask ? CAIRO_FORMAT_A8 : CAIRO_FORMAT_ARGB32, Int32(clamping: width),
      Int32(clamping: height))
    guard let surface, cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS,
      let context = cairo_create(surface)
    else {
      cairo_surface_destroy(surface)
      throw TypesettingError("cannot create a picture of \(width)×\(height) pixels")
    }
    self.surface = surface
    self.context = context
    self.width = width
    self.height = height
  }

  deinit {
    cairo_destroy(context)
    cairo_surface_destroy(surface)
  }

  /// Bytes from one row to the next.
  private var stride: Int { Int(cairo_image_surface_get_stride(surface)) }

  /// Lends the pixels, in rows of `stride` bytes. Changes to them show in the picture.
  package func withPixels<Result>(_ body: (UnsafeMutablePointer<UInt8>, _ stride: Int) -> Result)
    -> Result?
  {
    cairo_surface_flush(surface)
    guard let data = cairo_image_surface_get_data(surface) else { return nil }
    defer { cairo_surface_mark_dirty(surface) }
    return body(data, stride)
  }

  /// Locked while a layer or a label is drawn, which may measure and draw letters: Cairo's threads share one FreeType
  /// library, which sometimes cannot open a font that another thread is using.
  static let letters = Mutex(())

  /// Throws if Cairo could not draw everything so far, e.g. because it could not read a font.
  func requireDrawn() throws(TypesettingError) {
    let status = cairo_status(context)
    guard status == CAIRO_STATUS_SUCCESS else {
      throw TypesettingError(
        "cannot draw the picture (\(String(cString: cairo_status_to_string(status))))",
        remedy: "check that its fonts are readable, and make it smaller if memory is short")
    }
  }

  /// Paints another picture with its current color, through this one as a mask.
  func mask(on canvas: Canvas, enlarged factor: Double = 1) {
    cairo_save(canvas.context)
    defer { cairo_restore(canvas.context) }
    cairo_scale(canvas.context, factor, factor)
    cairo_mask_surface(canvas.context, surface, 0, 0)
  }

  /// A mask that is `factor` times smaller.
  func reduced(by factor: Int) throws(TypesettingError) -> Canvas {
    let mask = try Canvas(
      width: (width + factor - 1) / factor, height: (height + factor - 1) / factor, isMask: true)
    cairo_scale(mask.context, 1 / Double(factor), 1 / Double(factor))
    paint(on: mask)
    try mask.requireDrawn()
    return mask
  }

  /// Paints the picture on another one, at its origin.
  func paint(on canvas: Canvas) {
    cairo_set_source_surface(canvas.context, surface, 0, 0)
    cairo_pattern_set_filter(cairo_get_source(canvas.context), CAIRO_FILTER_BEST)
    // Extends the edge, so that it does not fade.
    cairo_pattern_set_extend(cairo_get_source(canvas.context), CAIRO_EXTEND_PAD)
    cairo_paint(canvas.context)
  }

  /// Writes a part of the picture as a PNG file with straight alpha.
  ///
  /// - Throws: `FileWriteError` if the system cannot write the file, or ``TypesettingError``.
  func write(_ part: PixelBox, to file: HashedFile) throws {
    try requireDrawn()
    cairo_surface_flush(surface)
    guard let data = cairo_image_surface_get_data(surface) else {
      throw TypesettingError("cannot read the picture")
    }
    let corner = data + part.top * stride + part.left * 4
    let view = cairo_image_surface_create_for_data(
      corner, CAIRO_FORMAT_ARGB32, Int32(part.width), Int32(part.height), Int32(stride))
    defer { cairo_surface_destroy(view) }
    let stream = PNGStream(to: file)
    let status = cairo_surface_write_to_png_stream(
      view,
      { stream, bytes, count in
        guard let stream, let bytes else { return CAIRO_STATUS_WRITE_ERROR }
        return Unmanaged<PNGStream>.fromOpaque(stream).takeUnretainedValue()
          .write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      }, Unmanaged.passUnretained(stream).toOpaque())
    if let failure = stream.failure { throw failure }
    guard status == CAIRO_STATUS_SUCCESS else {
      throw TypesettingError(
        "cannot write the picture (\(String(cString: cairo_status_to_string(status))))"
      )
    }
  }
}

/// The receiver of a PNG file. Cairo's callback can return only a status, so this keeps the system's error.
private final class PNGStream {
  private let file: HashedFile
  /// The reason why the system could not write the file.
  private(set) var failure: FileWriteError?

  init(to file: HashedFile) { self.file = file }

  func write(_ bytes: UnsafeRawBufferPointer) -> cairo_status_t {
    do throws(FileWriteError) {
      try file.write(bytes)
    } catch {
      failure = error
      return CAIRO_STATUS_WRITE_ERROR
    }
    return CAIRO_STATUS_SUCCESS
  }
}

/// Whole columns and rows of a picture.
struct PixelBox: Hashable {
  /// The first column.
  var left: Int
  /// The first row.
  var top: Int
  /// Columns.
  var width: Int
  /// Rows.
  var height: Int
}

/// The reason why a layer cannot become a picture.
package struct TypesettingError: Error, Hashable {
  /// The key of the layer that caused the problem, e.g. `font.family`; empty for the layer itself.
  var key: FindingPath
  var problem: String
  var remedy: String

  init(_ problem: String, key: FindingPath = "", remedy: String = "make the layer smaller") {
    self.problem = problem
    self.key = key
    self.remedy = remedy
  }
}

extension Canvas {
  /// Fills the picture with the current color.
  func paint() { cairo_paint(context) }
}
