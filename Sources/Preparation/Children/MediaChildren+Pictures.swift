import FarmAPI
import Foundation

/// A request to `picture`.
package struct PictureRequest: Hashable, Codable, Sendable {
  /// The file whose first picture is wanted.
  package var path: String
  /// The asset to which the file refers, if it does.
  package var asset: ReferencedAsset?
  /// The maximum width in pixels.
  package var widthLimit: Int

  /// The paths of the files that the process may read.
  package var readable: [String] { [path] + (asset?.file.paths ?? []) }

  package init(path: String, asset: ReferencedAsset?, widthLimit: Int) {
    self.path = path
    self.asset = asset
    self.widthLimit = widthLimit
  }
}

extension MediaChildren {
  /// The processor time for a picture, in seconds.
  private static let pictureSeconds = 60
  /// The maximum size of a picture's answer in bytes, encoded as base64.
  private static let pictureSize = 1 << 20

  package func picture(_ request: PictureRequest) async throws -> Data {
    let child = ChildDialogue(
      process("picture", seconds: Self.pictureSeconds, answerSize: Self.pictureSize),
      subject: "the chunk's first picture")
    let answer = try await child.ask(FarmCoding.encode(request), reading: [request.path])
    await child.end()
    guard case .picture(let picture) = answer else {
      throw JobError(
        .mediaProcessDied, "the chunk's first picture: the media process returned no answer")
    }
    return picture
  }
}
