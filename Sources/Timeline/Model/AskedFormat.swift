/// The size and frame rate that an output must have.
package struct AskedFormat: Hashable, Sendable {
  /// The size in pixels, if it is set.
  package var renderSize: PixelSize?
  /// The frame duration in seconds, if a rate is set.
  package var frameDuration: RationalTime?

  package init(renderSize: PixelSize? = nil, frameDuration: RationalTime? = nil) {
    (self.renderSize, self.frameDuration) = (renderSize, frameDuration)
  }
}
