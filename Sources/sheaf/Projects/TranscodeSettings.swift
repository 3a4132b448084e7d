import FarmAPI
import Foundation
import Timeline

/// A file to encode anew and what is asked of the new one, as it was written on the command line.
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
  /// The start of the new file in the old one, in a project's time format; `nil` means its start.
  package var start: String?
  /// Its duration; `nil` means up to the end.
  package var duration: String?

  /// The project that stands for it: the whole file, its first pictures and its first sound.
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
        remedy: "use sheaf render, which shows it for a while")
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
        .usage, "a file of sound alone has no pictures", on: "--\(given.0)",
        remedy: "leave it out, or name an output with pictures")
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

  /// Names stay texts; numbers become some, and what is none is left for the reading of the project to refuse.
  private static func value(_ text: String, of key: String) -> Any {
    guard ["bitRate", "bitDepth"].contains(key), let number = Int(text) else { return text }
    return number
  }
}
