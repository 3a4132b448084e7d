import Planning
import ProjectFormat
import Timeline

/// The media work on a project's way to its plan. It is done in this process, or in child processes.
package protocol ProjectMedia: Sendable {
  /// The media indexes of the assets that a document plays.
  func indexes(for document: ProjectDocument) async throws -> ProjectIndexes
  /// The encoder's findings on settings.
  func findings(_ question: EncoderCheck) async throws -> [Finding]
  /// Draws layers.
  ///
  /// - Parameter root: the place of the layer tree in the project file, for messages.
  /// - Throws: `ProjectError` with all problems of the layers.
  func rasters(of requests: [RasterRequest], root: FindingPath) async throws -> [LayerRaster]
  /// Does work that takes long and opens no media.
  func compute<Value: Sendable>(
    _ name: String, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value
  /// Announces the key or asset that is worked on next.
  func note(_ subject: String)
}

/// The media indexes of a project's assets.
package struct ProjectIndexes: Sendable {
  /// The indexes by asset name.
  package var indexes: [String: MediaIndex]
  /// Why an asset has no index, by its name.
  package var unreadable: [String: String]
  /// The assets that are not on this host, which are not checked.
  package var unseen: Set<String>

  package init(
    indexes: [String: MediaIndex], unreadable: [String: String], unseen: Set<String>
  ) {
    self.indexes = indexes
    self.unreadable = unreadable
    self.unseen = unseen
  }
}
