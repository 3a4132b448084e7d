/// The references that a decoder of H.264 keeps before a picture, in a form that does not depend on absolute frame
/// numbers and places: pairs of a frame number and a place in presentation order, both relative to those of the
/// picture.
package enum ReferenceState {
  /// Describes the references in a buffer before a picture.
  package static func describing(
    _ buffer: ReferenceBuffer, before slice: SliceHeader, at order: Int
  ) -> [Int] {
    buffer.pictures.flatMap { picture in
      [
        ReferenceBuffer.pictureNumber(picture, for: slice, numbered: slice.number) - slice.number,
        picture.order - order,
      ]
    }
  }

  /// A buffer with the references before a picture, whose place counts as 0.
  package static func buffer(_ state: [Int], before slice: SliceHeader) -> ReferenceBuffer {
    var buffer = ReferenceBuffer()
    for place in stride(from: 0, to: state.count - 1, by: 2) {
      buffer.update(
        releasing: [],
        adding: ReferenceBuffer.Picture(
          id: -1 - place / 2,
          number: (slice.number + state[place]) & (slice.sequence.numberCount - 1),
          order: state[place + 1]))
    }
    return buffer
  }
}
