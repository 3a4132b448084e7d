import ProjectFormat
import Timeline

extension VideoEncoder {
  /// The largest size at which an AV1 encoder is opened for a check, in pixels.
  private static let largestAV1 = PixelSize(width: 3840, height: 2160)

  /// The encoder's own findings about a project's video settings, each with the name of the option.
  ///
  /// The encoder is opened and closed; nothing is encoded.
  ///
  /// - Parameter size: the output's size, on which levels and some encoders depend; `nil` to check each option on its
  ///   own.
  public static func findings(
    _ video: VideoSettings, size: PixelSize?, frameDuration: RationalTime
  ) -> [Finding] {
    func opening(_ video: VideoSettings, _ size: PixelSize) -> String? {
      do {
        _ = try VideoEncoder(
          VideoEncoderSettings(
            video, size: size, frameDuration: frameDuration,
            color: ColorTags(primaries: nil, transfer: nil, matrix: nil, range: "tv")))
        return nil
      } catch let error as MediaError {
        return error.cause ?? error.message
      } catch {
        return "\(error)"
      }
    }
    var plain = VideoSettings(
      codec: video.codec, crf: video.crf, encoderPreset: video.encoderPreset,
      bitRate: video.bitRate, bitDepth: video.bitDepth)
    var findings: [Finding] = []
    // A small picture opens quickly, and an invalid option fails at any size.
    let small = PixelSize(width: 320, height: 192)
    for (name, value) in (video.options ?? [:]).sorted(by: { $0.key < $1.key }) {
      plain.options = [name: value]
      guard let problem = opening(plain, small) else { continue }
      findings.append(
        Finding(
          path: VideoSettings.path(ofOption: name, at: "export.video"),
          problem:
            "\(video.codec.encoderName) does not accept \"\(name)\" = \"\(value)\" (\(problem))",
          remedy: "use an option that this encoder has, with a value in its range"))
    }
    // SVT-AV1 allocates all its pictures when it is opened, and the process that checks has little memory.
    let isVast = (size.map { $0.width * $0.height } ?? 0) > largestAV1.width * largestAV1.height
    let opened = video.codec == .av1 && isVast ? largestAV1 : size
    if findings.isEmpty, let size, let opened, let problem = opening(video, opened) {
      findings.append(
        Finding(
          path: "export.video",
          problem: "\(video.codec.encoderName) does not accept these settings at "
            + "\(size.width)×\(size.height) pixels (\(problem))",
          remedy: "change the profile, the level, the quality or the size"))
    }
    return findings
  }
}
