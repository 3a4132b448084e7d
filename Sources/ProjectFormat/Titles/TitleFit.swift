import Timeline

/// Reduces letters that would not fit into the frame.
///
/// No fonts are read while a project is expanded, so the width of a text is estimated, rather too wide than too narrow.
enum TitleFit {
  /// Reduces the letters of all texts that are not wrapped, so that the widest line fits into a width. Plates keep their
  /// padding. Texts that are side by side keep the same size.
  static func fit(_ layers: inout [AnimationLayer], into width: Double) {
    for number in layers.indices {
      if case .group(var inner) = layers[number].content {
        fit(&inner, into: width)
        layers[number].content = .group(inner)
      }
      guard case .text(var text) = layers[number].content, layers[number].bounds == nil else {
        continue
      }
      let padding = 2 * (text.plate?.padding.x ?? 0)
      let (widest, room) = (self.width(of: text), width - padding)
      guard widest > room, room > 0 else { continue }
      // A whole number of thousandths, so that the same text has the same size on every host.
      text.reduce(by: max((room / widest * 1000).rounded(.down), 1) / 1000)
      layers[number].content = .text(text)
    }
    evenOut(&layers)
  }

  /// Columns that move in step have the font size of the smallest.
  private static func evenOut(_ layers: inout [AnimationLayer]) {
    let columns = layers.indices.compactMap { number -> (number: Int, text: TextContent)? in
      guard case .text(let text) = layers[number].content, layers[number].bounds == nil,
        layers[number].animations.contains(where: {
          $0.property == .position && $0.fillMode == .both
        })
      else { return nil }
      return (number, text)
    }
    guard columns.count > 1, let least = columns.map(\.text.font.size).min() else { return }
    for (number, text) in columns where text.font.size > least {
      var text = text
      text.reduce(by: least / text.font.size)
      layers[number].content = .text(text)
    }
  }

  /// The estimated width of the widest line, in pixels.
  static func width(of text: TextContent) -> Double {
    let bold = text.font.weight >= 600 ? 1.08 : 1
    let lines = text.text.split(separator: "\n")
    let widths = lines.map { line in
      line.reduce(0.0) { $0 + advance(of: $1) * bold * text.font.size + text.font.tracking }
    }
    return widths.max() ?? 0
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

extension TextContent {
  /// Reduces the letters, the space between them and their shadow.
  fileprivate mutating func reduce(by factor: Double) {
    font.size *= factor
    font.tracking *= factor
    shadow?.offset.x *= factor
    shadow?.offset.y *= factor
    shadow?.radius *= factor
  }
}
