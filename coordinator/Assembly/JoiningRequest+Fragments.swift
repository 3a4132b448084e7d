import Preparation
import Recording

extension JoiningRequest {
  /// The request that turns all committed fragments of a recording into ordinary files.
  ///
  /// - Parameters:
  ///   - folder: the recording's folder.
  ///   - output: the folder in which the files are made.
  init(
    recording id: String, parts: [RecordedPart], _ fragments: [StoredFragment], in folder: String,
    to output: String
  ) {
    let fragmentsOfParts = Dictionary(grouping: fragments, by: \.part)
    self.init(
      name: "recording \(id)",
      parts: parts.map { part in
        Part(
          folder: "\(folder)/\(part.folderName)", start: part.start,
          fragments: (fragmentsOfParts[part.number] ?? []).map(\.fragment))
      }, output: output, isDurable: Durability.isRequired(of: folder))
  }
}
