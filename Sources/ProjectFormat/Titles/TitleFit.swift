import Timeline

/// Reduces letters that would not fit into the frame.
///
/// No fonts are read while a project is expanded, so the width of a text is estimated, rather too wide than too narrow.
enum TitleFit {
  /// Scales all text layers that are not wrapped, so that the widest fits into a width. Layers that are side by side
  /// keep the same size.
  static func fit(_ layers: inout [AnimationLayer], into width: Double) {
    for number in layers.indices {
      if case .group(var inner) = layers[number].content {
        fit(&inner, into: width)
        layers[number].content = .group(inner)
      }
      guard case .text(let text) = layers[number].content, layers[number].bounds == nil else {
        continue
      }
      let widest = self.width(of: text)
      guard widest > width else { continue }
      // A whole number of thousandths, so that the same text has the same size on every host.
      let scale = (width / widest * 1000).rounded(.down) / 1000
      layers[number].scale = LayerPoint(x: scale, y: scale)
    }
    evenOut(&layers)
  }

  /// Columns of the same height that move in step have the scale of the smallest.
  private static func evenOut(_ layers: inout [AnimationLayer]) {
    let rolling = layers.indices.filter { number in
      layers[number].animations.contains { $0.property == .position && $0.fillMode == .both }
        && layers[number].content.kind == .text && layers[number].bounds == nil
    }
    guard rolling.count > 1, let least = rolling.map({ layers[$0].scale.x }).min() else { return }
    for number in rolling { layers[number].scale = LayerPoint(x: least, y: least) }
  }

  /// The estimated width of the widest line, in pixels.
  static func width(of text: TextContent) -> Double {
    let bold = text.font.weight >= 600 ? 1.08 : 1
    let lines = text.text.split(separator: "\n")
    let widths = lines.map { line in
      line.reduce(0.0) { $0 + advance(of: $1) * bold * text.font.size + text.font.tracking }
    }
    return (widths.max() ?? 0) + 2 * (text.plate?.padding.x ?? 0)
  }

  /// The advance of a letter as a fraction of the font size.
  private static func advance(of letter: Character) -> Double {
    switch letter {
    case "i", "j", "l", "I", ".", ",", ":", ";", "'", "!", "|", " ", "\u{a0}": 0.34
    case "f", "r", "t", "(", ")", "-": 0.42
    case "m", "w", "M", "W", "@", "%": 0.98
    case _ where letter.isUppercase: 0.72
    case _ where letter.isASCII: 0.6
    case _ where letter.unicodeScalars.contains(where: { $0.value >= 0x2E80 }): 1.05
    default: 0.65
    }
  }
}
