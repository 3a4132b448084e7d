import Timeline

extension [PixelRect] {
  /// The smallest rectangle that contains all of them; `nil` for an empty array.
  var joined: PixelRect? {
    guard let first else { return nil }
    return dropFirst().reduce(first) { all, rect in
      let (left, top) = (Swift.min(all.x, rect.x), Swift.min(all.y, rect.y))
      return PixelRect(
        x: left, y: top, width: Swift.max(all.x + all.width, rect.x + rect.width) - left,
        height: Swift.max(all.y + all.height, rect.y + rect.height) - top)
    }
  }
}

extension PixelRect {
  /// Whether any two of the rectangles touch the same block of 2 × 2 pixels.
  static func overlap(in rects: [PixelRect]) -> Bool {
    let blocks = rects.map { rect in
      (
        left: (rect.x / 2).rounded(.down), right: ((rect.x + rect.width) / 2).rounded(.up),
        top: (rect.y / 2).rounded(.down), bottom: ((rect.y + rect.height) / 2).rounded(.up)
      )
    }
    .sorted { $0.top < $1.top }
    return blocks.indices.contains { number in
      let block = blocks[number]
      return blocks[(number + 1)...].prefix { $0.top < block.bottom }
        .contains { $0.left < block.right && block.left < $0.right }
    }
  }
}
