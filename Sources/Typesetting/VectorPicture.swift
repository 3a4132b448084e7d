import CPango
import CRSVG
import ProjectFormat
import Timeline

/// An SVG document, drawn by librsvg.
///
/// The document is read from memory and has no address, so that librsvg opens nothing that it refers to.
package final class VectorPicture {
  private let handle: UnsafeMutablePointer<RsvgHandle>

  /// Reads a document.
  ///
  /// - Throws: ``TypesettingError`` if the document is not valid SVG.
  package init(_ bytes: [UInt8]) throws(TypesettingError) {
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
      "cannot read the SVG\(cause)", key: "asset", remedy: "correct the file")
  }

  /// The size that the document states, in pixels; `nil` if it states none.
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

  /// The area that the document covers, in its pixels from its top left, including content beyond its edges.
  func ink(of area: PixelRect) throws(TypesettingError) -> PixelRect {
    var viewport = RsvgRectangle(x: 0, y: 0, width: area.width, height: area.height)
    var ink = RsvgRectangle()
    var error: UnsafeMutablePointer<GError>?
    guard rsvg_handle_get_geometry_for_layer(handle, nil, &viewport, &ink, nil, &error) != 0 else {
      throw Self.failure(&error)
    }
    return PixelRect(x: ink.x, y: ink.y, width: ink.width, height: ink.height)
  }

  /// Draws the document into a rectangle of a picture, in the picture's pixels.
  package func draw(on canvas: Canvas, in rect: PixelRect) throws(TypesettingError) {
    var viewport = RsvgRectangle(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
    var error: UnsafeMutablePointer<GError>?
    guard rsvg_handle_render_document(handle, canvas.context, &viewport, &error) != 0 else {
      throw Self.failure(&error)
    }
  }
}
