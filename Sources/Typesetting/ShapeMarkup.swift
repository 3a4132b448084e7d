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
    let fill = shape.fill.map { "\($0)" } ?? (shape.gradient == nil ? "none" : "url(#gradient)")
    let gradient = shape.gradient.map { definition(of: $0, bounds: bounds) } ?? ""
    // Core Animation's miter limit.
    let stroke =
      shape.stroke.map {
        " stroke=\"\($0.color)\" stroke-width=\"\($0.width)\" stroke-miterlimit=\"10\""
      } ?? ""
    let text = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(area.width)" height="\(area.height)" \
      viewBox="\(area.x) \(area.y) \(area.width) \(area.height)" preserveAspectRatio="none" overflow="visible">\
      \(gradient)\(element) fill="\(fill)"\(stroke)/></svg>
      """
    return Array(text.utf8)
  }

  /// The gradient from edge to edge of the bounds.
  private static func definition(of gradient: ShapeGradient, bounds: PixelRect) -> String {
    let (left, top) = (bounds.x, bounds.y)
    let (right, bottom) = (left + bounds.width, top + bounds.height)
    let (x1, y1, x2, y2) =
      switch gradient.direction {
      case .right: (left, top, right, top)
      case .left: (right, top, left, top)
      case .down: (left, top, left, bottom)
      case .up: (left, bottom, left, top)
      }
    let stops = gradient.stops.map {
      "<stop offset=\"\($0.place)\" stop-color=\"\($0.color)\" stop-opacity=\"\($0.opacity)\"/>"
    }
    return "<linearGradient id=\"gradient\" gradientUnits=\"userSpaceOnUse\""
      + " x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\">\(stops.joined())</linearGradient>"
  }

  /// The area that a rectangle or an ellipse may cover: its bounds, extended for its stroke.
  static func area(of shape: ShapeContent, bounds: PixelRect) -> PixelRect {
    let reach = ((shape.stroke?.width ?? 0) * 2).rounded(.up) / 2
    return PixelRect(
      x: bounds.x - reach, y: bounds.y - reach, width: bounds.width + 2 * reach,
      height: bounds.height + 2 * reach)
  }
}
