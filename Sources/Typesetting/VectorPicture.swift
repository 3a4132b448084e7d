import CPango
import CRSVG
import Timeline

/// An SVG document, drawn by librsvg.
final class VectorPicture {
  private let handle: UnsafeMutablePointer<RsvgHandle>

  /// Reads a document.
  ///
  /// - Throws: ``TypesettingError`` where it is no SVG, or refers to what lies outside it.
  init(_ bytes: [UInt8]) throws(TypesettingError) {
    if let reference = ExternalReferences.first(in: bytes) {
      throw TypesettingError(
        "the SVG refers to something outside it: \(reference)", key: ".asset",
        remedy: "embed it, or leave it out")
    }
    var error: UnsafeMutablePointer<GError>?
    guard let handle = rsvg_handle_new_from_data(bytes, UInt(bytes.count), &error) else {
      throw Self.failure(&error)
    }
    self.handle = handle
    // One unit is one pixel.
    rsvg_handle_set_dpi(handle, 96)
  }

  deinit { g_object_unref(handle) }

  private static func failure(
    _ error: inout UnsafeMutablePointer<GError>?
  ) -> TypesettingError {
    let cause = error.flatMap(\.pointee.message).map { " (\(String(cString: $0)))" } ?? ""
    g_clear_error(&error)
    return TypesettingError(
      "the SVG cannot be read\(cause)", key: ".asset", remedy: "correct the file")
  }

  /// The size that the document says, in pixels; `nil` where it says none.
  var size: (width: Double, height: Double)? {
    var (width, height) = (0.0, 0.0)
    if rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height) != 0, width > 0,
      height > 0
    {
      return (width, height)
    }
    var (hasWidth, hasHeight, hasBox): (gboolean, gboolean, gboolean) = (0, 0, 0)
    var (length, other) = (RsvgLength(), RsvgLength())
    var box = RsvgRectangle()
    rsvg_handle_get_intrinsic_dimensions(
      handle, &hasWidth, &length, &hasHeight, &other, &hasBox, &box)
    guard hasBox != 0, box.width > 0, box.height > 0 else { return nil }
    return (box.width, box.height)
  }

  /// Draws the document into a rectangle of a picture, in the picture's pixels.
  func draw(on canvas: Canvas, in rect: PixelRect) throws(TypesettingError) {
    var viewport = RsvgRectangle(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
    var error: UnsafeMutablePointer<GError>?
    guard rsvg_handle_render_document(handle, canvas.context, &viewport, &error) != 0 else {
      throw Self.failure(&error)
    }
  }
}
