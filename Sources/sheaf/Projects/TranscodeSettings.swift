import FarmAPI
import Foundation
import Timeline

/// A media file and the settings for its transcode, as given on the command line.
package struct TranscodeSettings: Sendable {
  /// The file.
  package var input: String
  package var preset: String?
  package var codec: String?
  package var crf: String?
  package var bitRate: String?
  package var encoderPreset: String?
  package var bitDepth: String?
  package var audioCodec: String?
  package var audioBitRate: String?
  /// Where to start in the input, in a project's time format; `nil` means 0.
  package var start: String?
  /// How much of the input to use, in a project's time format; `nil` means up to its end.
  package var duration: String?

  /// A project that transcodes the file's first video stream and its first audio stream.
  ///
  /// - Throws: ``CommandFailure`` with every finding.
  func project(to output: OutputPath) async throws -> ProjectFile {
    let path = URL(fileURLWithPath: input).standardizedFileURL.path
    let index: MediaIndex
    switch try await LocalMedia().index(of: path) {
    case .success(let found): index = found
    case .failure(let error): throw CommandFailure.invalidProject([error.failure.message])
    }
    return try await ProjectFile.check(
      Array(document(of: index, at: path, fileType: output.fileType)),
      name: URL(fileURLWithPath: output.path).deletingPathExtension().lastPathComponent,
      directory: FileManager.default.currentDirectoryPath)
  }

  /// The project document, in the composition form.
  package func document(of index: MediaIndex, at path: String, fileType: FileType) throws -> Data {
    guard !index.isStillImage, index.duration > .zero else {
      throw CommandFailure(
        .failed, "a still image cannot be transcoded", on: input,
        remedy: "use `sheaf render`, which gives it a duration")
    }
    let range: [String: Any] = ["start": 0, "duration": "\(index.duration)"]
    let segment: [String: Any] = ["asset": "input", "source": range, "target": range]
    let soundAlone = isSoundAlone(fileType)
    let ofPictures = [
      ("codec", codec), ("crf", crf), ("bit-rate", bitRate), ("encoder-preset", encoderPreset),
      ("bit-depth", bitDepth),
    ]
    if soundAlone, let given = ofPictures.first(where: { $0.1 != nil }) {
      throw CommandFailure(
        .usage, "an audio-only file has no video", on: "--\(given.0)",
        remedy: "leave it out, or choose an output with video")
    }
    var tracks: [[String: Any]] = []
    if !index.video.isEmpty, !soundAlone {
      tracks.append(["id": 1, "mediaType": "video", "segments": [segment]])
    }
    if !index.audio.isEmpty {
      tracks.append(["id": 2, "mediaType": "audio", "segments": [segment]])
    }
    return try JSONSerialization.data(
      withJSONObject: [
        "version": 1, "assets": ["input": ["path": path]], "composition": ["tracks": tracks],
        "export": export(of: index, fileType: fileType),
      ] as [String: Any], options: [.sortedKeys])
  }

  private func isSoundAlone(_ fileType: FileType) -> Bool {
    fileType == .m4a || preset.flatMap(ExportPreset.named)?.isAudioOnly == true
  }

  private func export(of index: MediaIndex, fileType: FileType) -> [String: Any] {
    var video: [String: Any] = [:]
    var audio: [String: Any] = [:]
    var export: [String: Any] = ["fileType": fileType.rawValue]
    if let range = timeRange(of: index) { export["timeRange"] = range }
    if let preset {
      export["preset"] = preset
    } else {
      let usual = codec ?? fileType.usualVideoCodec?.rawValue
      video["codec"] = usual
      audio["codec"] = fileType.usualAudioCodec.rawValue
      let assistant = OutputSettingsAssistant(
        sourceVideo: index.video.first, sourceAudio: index.audio.first, fileType: fileType)
      if let size = assistant.outputSize, crf == nil, usual != "prores",
        !isSoundAlone(fileType)
      {
        video["bitRate"] = OutputSettingsAssistant.bitRate(for: size)
        video["keyFrameInterval"] = OutputSettingsAssistant.keyFrameInterval
      }
    }
    for (key, text) in [
      ("codec", codec), ("crf", crf), ("bitRate", bitRate), ("encoderPreset", encoderPreset),
      ("bitDepth", bitDepth),
    ] {
      if let text { video[key] = Self.value(text, of: key) }
    }
    for (key, text) in [("codec", audioCodec), ("bitRate", audioBitRate)] {
      if let text { audio[key] = Self.value(text, of: key) }
    }
    if !video.isEmpty { export["video"] = video }
    if !audio.isEmpty { export["audio"] = audio }
    return export
  }

  /// The requested part. Invalid times are rejected later, when the project is read.
  private func timeRange(of index: MediaIndex) -> [String: Any]? {
    guard start != nil || duration != nil else { return nil }
    let start = start ?? "0"
    let rest = (try? RationalTime(start)).flatMap { try? index.duration - $0 }
    return ["start": start, "duration": duration ?? rest.map { "\($0)" } ?? "0"]
  }

  /// Converts numeric values. Names and invalid numbers stay strings; reading the project rejects invalid ones.
  private static func value(_ text: String, of key: String) -> Any {
    guard ["bitRate", "bitDepth"].contains(key), let number = Int(text) else { return text }
    return number
  }
}
