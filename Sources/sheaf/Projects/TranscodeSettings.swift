import FarmAPI
import Foundation
import ProjectFormat
import Timeline

/// A media file and the settings for its transcode, as given on the command line.
package struct TranscodeSettings: Sendable {
  /// The file.
  package var input: String
  package var preset: ExportPreset?
  package var codec: VideoSettings.Codec?
  package var crf: Double?
  package var bitRate: Int64?
  package var encoderPreset: String?
  package var bitDepth: String?
  package var audioCodec: AudioSettings.Codec?
  package var audioBitRate: Int64?
  /// Where to start in the input; `nil` means 0.
  package var start: TimeArgument?
  /// How much of the input to use; `nil` means up to its end.
  package var duration: TimeArgument?

  /// The file's absolute path.
  var path: String { URL(fileURLWithPath: input).standardizedFileURL.path }

  /// The arguments that set values of the project, by the paths of the values.
  private var names: [FindingPath: String] {
    [
      "assets.input": input, "export.preset": "--preset", "export.video.codec": "--codec",
      "export.video.crf": "--crf", "export.video.bitRate": "--bit-rate",
      "export.video.encoderPreset": "--encoder-preset", "export.video.bitDepth": "--bit-depth",
      "export.audio.codec": "--audio-codec", "export.audio.bitRate": "--audio-bit-rate",
      "export.timeRange": "--start or --duration", "export.timeRange.start": "--start",
      "export.timeRange.duration": "--duration", "export.fileType": "the output's extension",
    ]
  }

  /// A project that transcodes the file's first video stream and its first audio stream.
  ///
  /// - Parameter hashed: the files whose content is known.
  /// - Throws: ``CommandFailure`` with every finding.
  func project(to output: OutputPath, _ hashed: HashedMedia) async throws -> ProjectFile {
    let index: MediaIndex
    switch try await LocalMedia(hashed: hashed).index(of: path) {
    case .success(let found): index = found
    case .failure(let error): throw CommandFailure.invalidProject([error.failure.message])
    }
    return try await ProjectFile.make(
      Array(document(of: index, at: path, fileType: output.fileType)),
      name: URL(fileURLWithPath: output.path).deletingPathExtension().lastPathComponent,
      directory: FileManager.default.currentDirectoryPath, naming: names
    ).checked(naming: names, hashed: hashed)
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
      ("codec", codec != nil), ("crf", crf != nil), ("bit-rate", bitRate != nil),
      ("encoder-preset", encoderPreset != nil), ("bit-depth", bitDepth != nil),
    ]
    if soundAlone, let given = ofPictures.first(where: \.1) {
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
        "export": try export(of: index, fileType: fileType),
      ] as [String: Any], options: [.sortedKeys])
  }

  private func isSoundAlone(_ fileType: FileType) -> Bool {
    fileType == .m4a || preset?.isAudioOnly == true
  }

  private func export(of index: MediaIndex, fileType: FileType) throws -> [String: Any] {
    var video: [String: Any] = [:]
    var audio: [String: Any] = [:]
    var export: [String: Any] = ["fileType": fileType.rawValue]
    if let range = try timeRange(of: index) { export["timeRange"] = range }
    if let preset {
      export["preset"] = preset.name
    } else {
      let usual = (codec ?? fileType.usualVideoCodec)?.rawValue
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
    if let codec { video["codec"] = codec.rawValue }
    if let crf { video["crf"] = crf }
    if let bitRate { video["bitRate"] = bitRate }
    if let encoderPreset { video["encoderPreset"] = encoderPreset }
    // Reading the project rejects another text.
    if let bitDepth { video["bitDepth"] = Int(bitDepth) ?? bitDepth }
    if let audioCodec { audio["codec"] = audioCodec.rawValue }
    if let audioBitRate { audio["bitRate"] = audioBitRate }
    if !video.isEmpty { export["video"] = video }
    if !audio.isEmpty { export["audio"] = audio }
    return export
  }

  /// The requested part.
  private func timeRange(of index: MediaIndex) throws -> [String: Any]? {
    guard start != nil || duration != nil else { return nil }
    let rate = index.video.first?.nominalFrameRate
    func time(_ argument: TimeArgument?, _ option: String) throws -> RationalTime? {
      try argument?.time(
        at: rate, for: option, or: "the input has no constant frame rate: use a time such as 1.5")
    }
    let start = try time(start, "--start") ?? .zero
    let rest = try time(duration, "--duration") ?? index.duration - start
    return ["start": "\(start)", "duration": "\(rest)"]
  }
}
