import FarmAPI

/// A rendered chunk that waits for its delivery. Its file is deleted with this value.
struct FinishedChunk: Sendable {
  /// The manifest of the file.
  var manifest: ChunkManifest
  /// The bytes, with the list of concealments at their end if there is one.
  var file: UnlinkedFile
}
