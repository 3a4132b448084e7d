extension LayerInstruction: Encodable {
  private enum CodingKeys: String, CodingKey {
    case track, opacity, transform, crop, backdrop, mask
  }

  /// Encodes the values that differ from their defaults.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(track, forKey: .track)
    if !opacity.pieces.isEmpty { try container.encode(opacity, forKey: .opacity) }
    if !transform.pieces.isEmpty { try container.encode(transform, forKey: .transform) }
    if !crop.pieces.isEmpty { try container.encode(crop, forKey: .crop) }
    try container.encodeIfPresent(backdrop, forKey: .backdrop)
    try container.encodeIfPresent(mask, forKey: .mask)
  }
}
