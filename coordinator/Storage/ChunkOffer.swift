/// The answer to a chunk that a worker offers.
enum ChunkOffer: Hashable, Sendable {
  /// The chunk is wanted. This note is stored with it, if there is one.
  case wanted(note: String?)
  /// It was accepted before: its bytes need not be read.
  case acceptedBefore
}
