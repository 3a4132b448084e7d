import Foundation
import Timeline

/// A project that shows one media file.
enum MovieProject {
  /// A project with the file's first video stream, without sound.
  ///
  /// - Throws: ``CommandFailure`` if the file has no moving pictures.
  static func file(of movie: String) async throws -> ProjectFile {
    let path = URL(fileURLWithPath: movie).standardizedFileURL.path
    let index: MediaIndex
    switch try await LocalMedia().index(of: path) {
    case .success(let found): index = found
    case .failure(let error): throw error.commandFailure
    }
    guard !index.isStillImage, !index.video.isEmpty, index.duration > .zero else {
      throw CommandFailure(
        .failed, index.isStillImage ? "the file is a still image" : "the file has no video",
        on: movie, remedy: "name a project file ending in .json, or a file with video")
    }
    let range: [String: Any] = ["start": 0, "duration": "\(index.duration)"]
    let segment: [String: Any] = ["asset": "input", "source": range, "target": range]
    let tracks: [[String: Any]] = [["id": 1, "mediaType": "video", "segments": [segment]]]
    let document = try JSONSerialization.data(
      withJSONObject: [
        "version": 1, "assets": ["input": ["path": path]], "composition": ["tracks": tracks],
        "export": ["fileType": "mov"],
      ] as [String: Any])
    return try ProjectFile(
      Array(document), name: URL(fileURLWithPath: movie).lastPathComponent, directory: "/")
  }
}
