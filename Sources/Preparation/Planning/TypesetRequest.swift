import Planning
import ProjectFormat

/// A request to `typeset`.
package struct TypesetRequest: Hashable, Codable, Sendable {
  /// The layers to draw.
  package var rasters: [RasterRequest]
  /// The images' files by asset name.
  package var files: [String: AssetFile]
  /// The place of the layer tree in the project file, for messages.
  package var root: FindingPath
  /// The directory for the pictures, each a file named after its SHA-256.
  package var directory: String

  package init(
    rasters: [RasterRequest], files: [String: AssetFile], root: FindingPath, directory: String
  ) {
    self.rasters = rasters
    self.files = files
    self.root = root
    self.directory = directory
  }
}
