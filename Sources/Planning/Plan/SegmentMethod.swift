import Timeline

/// How the frames of a segment are made: copied, or encoded for a reason.
public enum SegmentMethod: String, Hashable, Codable, Sendable, CaseIterable {
  /// The packets of a source are copied.
  case copied
  /// The preset encodes every frame.
  case preset
  /// Two or more pictures are blended.
  case blended
  /// Animation layers cover the picture.
  case layers
  /// The picture is moved, scaled, cropped, faded or masked.
  case altered
  /// No clip is shown in some of its frames.
  case empty
  /// A still image is shown.
  case still
  /// The format of a clip differs from the output's.
  case format
  /// The packets of the clip cannot be cut or repeated as the timeline requires.
  case cut

  /// Whether packets are copied.
  public var isCopied: Bool { self == .copied }

  /// The reason why the segment is encoded, for people; `nil` if it is copied.
  public var reason: String? {
    switch self {
    case .copied: nil
    case .preset: "the preset encodes every frame"
    case .blended: "two or more pictures are blended"
    case .layers: "animation layers cover the picture"
    case .altered: "the picture is moved, scaled, cropped, faded or masked"
    case .empty: "no clip is shown in some of its frames"
    case .still: "a still image is shown"
    case .format: "the clip's format differs from the output's"
    case .cut: "the clip has no keyframes where the timeline would have to cut it"
    }
  }

  /// Finds out how a segment is made.
  ///
  /// - Parameter isPassthrough: whether the project copies packets wherever possible.
  public init(of segment: SegmentDescription, isPassthrough: Bool) {
    self =
      if segment.copy != nil {
        .copied
      } else if !isPassthrough {
        .preset
      } else {
        segment.obstacle
      }
  }
}

extension SegmentDescription {
  /// The most important reason why its packets are not copied.
  fileprivate var obstacle: SegmentMethod {
    if slices.contains(where: { $0.layers.count > 1 }) { return .blended }
    if slices.contains(where: { $0.overlay != nil }) { return .layers }
    let layers = slices.flatMap(\.layers)
    if layers.contains(where: \.isAltered) { return .altered }
    if slices.contains(where: \.layers.isEmpty) { return .empty }
    let shown = layers.map(\.source).filter(sources.indices.contains).map { sources[$0] }
    if shown.contains(where: \.isStillImage) { return .still }
    let isForeign = shown.contains {
      $0.stream.size != renderSize || $0.stream.codec != video.codec.rawValue
    }
    return isForeign ? .format : .cut
  }
}

extension LayerSlice {
  /// Whether the layer changes its pictures in any way.
  fileprivate var isAltered: Bool {
    backdrop != nil || mask != nil || tint != nil || corners != nil || sublayers != nil
      || !crop.pieces.isEmpty || !opacity.isAlways(1) || !transform.isAlways(.identity)
  }
}

extension Ramps {
  /// Whether the value is always `standard`, which it is before the first piece.
  fileprivate func isAlways(_ standard: Value) -> Bool {
    pieces.allSatisfy { piece in
      switch piece {
      case .step(_, let value): value == standard
      case .ramp(_, let from, let to, _): from == standard && to == standard
      }
    }
  }
}
