import Preparation
import Recording
import Timeline

extension JoiningRequest {
  /// The request that turns all committed fragments of a recording into ordinary files.
  ///
  /// - Parameters:
  ///   - folder: the recording's folder.
  ///   - splitLength: the length in seconds of each file, at least; `nil` for one file of each format.
  ///   - output: the folder in which the files are made.
  init(
    recording id: String, parts: [RecordedPart], _ fragments: [StoredFragment], in folder: String,
    splitEvery splitLength: RationalTime?, to output: String
  ) {
    let fragmentsOfParts = Dictionary(grouping: fragments, by: \.part)
    self.init(
      name: "recording \(id)",
      parts: parts.map { part in
        Part(
          folder: "\(folder)/\(part.folderName)", start: part.start,
          fragments: (fragmentsOfParts[part.number] ?? []).map(\.fragment))
      }, splitLength: splitLength, output: output, isDurable: Durability.isRequired(of: folder))
  }
}
