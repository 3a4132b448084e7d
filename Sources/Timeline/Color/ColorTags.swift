/// Color tags by FFmpeg's names; `nil` if the file does not state them.
public struct ColorTags: Hashable, Codable, Sendable {
  /// The color primaries, e.g. `bt709`.
  public var primaries: String?
  /// The transfer function, e.g. `bt709`, `smpte2084`.
  public var transfer: String?
  /// The matrix, e.g. `bt709`, `smpte170m`.
  public var matrix: String?
  /// The range: `tv` (limited) or `pc` (full).
  public var range: String?

  /// Creates tags from names.
  public init(primaries: String?, transfer: String?, matrix: String?, range: String?) {
    self.primaries = primaries
    self.transfer = transfer
    self.matrix = matrix
    self.range = range
  }
}
