/// The values that findings depend on, in addition to those at and around their own places.
struct FindingDependency: Sendable {
  /// The places of the findings.
  let about: [FindingPlaces]
  /// The values without which such findings may be wrong.
  let unread: [FindingPlaces]

  /// All dependencies of findings on values in other places.
  static let all: [FindingDependency] = {
    let tracks: FindingPath = "composition.tracks[0]"
    let instructions: FindingPath = "videoComposition.instructions[0]"
    let order: [FindingPlaces] = [.at(instructions), .within("\(instructions).timeRange")]
    return [
      FindingDependency(
        about: [.at("export"), .at("export.timeRange")],
        unread: [.within("composition"), .within("videoComposition"), .within("sequence")]),
      FindingDependency(
        about: [.at("videoComposition.instructions"), .at("\(instructions).timeRange")],
        unread: [.within("composition")] + order),
      FindingDependency(about: [.at("\(instructions).timeRange.start")], unread: order),
      FindingDependency(
        about: [.ending("track"), .within("audioMix.inputParameters[0].duck")],
        unread: [
          .at("composition"), .at("composition.tracks"), .at(tracks), .at("\(tracks).id"),
          .at("\(tracks).mediaType"), .at("videoComposition.animation"),
          .at("videoComposition.animation.track"),
        ]),
      FindingDependency(
        about: [.at("\(tracks).segments[0].trackIndex"), .at("\(tracks).preferredTransform")],
        unread: [.at("\(tracks).mediaType")]),
      FindingDependency(
        about: [.at("\(tracks).segments[0].target")],
        unread: [
          .at("\(tracks).mediaType"), .within("audioMix"), .at("export.audio"),
          .at("export.audio.sampleRate"),
        ]),
      FindingDependency(
        about: [.at("videoComposition.renderScale")],
        unread: [.within("videoComposition.renderSize")]),
      FindingDependency(
        about: [
          .ending("layers[0].start"), .ending("layers[0].frameRate"),
          .ending("layers[0].dropFrame"),
        ],
        unread: [.at("videoComposition.frameDuration"), .at("frameRate")]),
      FindingDependency(about: [.ending("asset"), .ending("map")], unread: [.at("assets")]),
      FindingDependency(
        about: [
          .at("export.video"), .at("export.video.crf"), .at("export.video.bitRate"),
          .at("export.video.encoderPreset"), .at("export.video.bitDepth"),
          .at("export.video.profile"), .at("export.video.level"), .at("export.video.tune"),
          .at("export.video.keyFrameInterval"), .at("export.fileType"),
        ],
        unread: [.at("export.video"), .at("export.video.codec")]),
      FindingDependency(
        about: [.at("export.video.profile")], unread: [.at("export.video.bitDepth")]),
      FindingDependency(
        about: [
          .at("export.audio.codec"), .at("export.audio.bitRate"), .at("export.audio.sampleRate"),
          .at("export.audio.bitDepth"),
        ],
        unread: [.at("export.audio.codec")]),
      FindingDependency(about: [.at("export.audio.codec")], unread: [.at("export.fileType")]),
    ]
  }()
}
