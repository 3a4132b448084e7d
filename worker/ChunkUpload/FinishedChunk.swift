import FarmAPI

/// A rendered chunk that waits for its delivery; its file goes with it.
struct FinishedChunk: Sendable {
  /// What the file holds.
  var manifest: ChunkManifest
  /// The bytes.
  var file: UnlinkedFile
}
