import Timeline

/// Writes a shape as an SVG document.
enum ShapeMarkup {
  /// The document for a shape with the given bounds. Its view is `area` of the layer's space.
  static func document(_ shape: ShapeContent, bounds: PixelRect, area: PixelRect) -> [UInt8] {
    let element =
      switch shape.outline {
      case .rectangle(let radius):
        "<rect x=\"\(bounds.x)\" y=\"\(bounds.y)\" width=\"\(bounds.width)\" height=\"\(bounds.height)\" "
          + "rx=\"\(min(radius, bounds.width / 2))\" ry=\"\(min(radius, bounds.height / 2))\""
      case .ellipse:
        "<ellipse cx=\"\(bounds.x + bounds.width / 2)\" cy=\"\(bounds.y + bounds.height / 2)\" "
          + "rx=\"\(bounds.width / 2)\" ry=\"\(bounds.height / 2)\""
      case .path(let path): "<path d=\"\(path.filter { !"\"<>&".contains($0) })\""
      }
    let fill = shape.fill.map { "\($0)" } ?? "none"
    // Core Animation's miter limit.
    let stroke =
      shape.stroke.map {
        " stroke=\"\($0.color)\" stroke-width=\"\($0.width)\" stroke-miterlimit=\"10\""
      } ?? ""
    let text = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(area.width)" height="\(area.height)" \
      viewBox="\(area.x) \(area.y) \(area.width) \(area.height)" preserveAspectRatio="none" overflow="visible">\
      \(element) fill="\(fill)"\(stroke)/></svg>
      """
    return Array(text.utf8)
  }

  /// The area that a rectangle or an ellipse may cover: its bounds, extended for its stroke.
  static func area(of shape: ShapeContent, bounds: PixelRect) -> PixelRect {
    let reach = ((shape.stroke?.width ?? 0) * 2).rounded(.up) / 2
    return PixelRect(
      x: bounds.x - reach, y: bounds.y - reach, width: bounds.width + 2 * reach,
      height: bounds.height + 2 * reach)
  }
}
