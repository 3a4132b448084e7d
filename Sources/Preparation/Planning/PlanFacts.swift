import Crypto
import FarmAPI
import Planning
import Timeline

/// The part of a plan that the coordinator keeps in memory. The rest is in the plan's file.
///
/// The file has the plan without its segments and sound, then the sound, then for each segment what a lease of it says,
/// each on a line of JSON.
package struct PlanFacts: Hashable, Codable, Sendable {
  /// The sound to be mixed.
  package struct Sound: Hashable, Codable, Sendable {
    /// An asset that is heard.
    package struct Source: Hashable, Codable, Sendable {
      /// The asset's name in the project.
      package var name: String
      /// Its SHA-256.
      package var asset: Digest
    }

    /// The `MixDescription`.
    package var part: PlanPart
    /// The assets whose sound is mixed.
    package var sources: [Source]
    /// How many seconds mixing takes at the most where nothing else runs.
    package var computing: Double
  }

  /// The format of the plan's file. Whoever changes what a lease says of a segment so that workers do not read what was
  /// written before raises it, and running jobs are planned again after the upgrade.
  package static let currentFormat = 1

  /// The format that the plan's file has.
  package var format = PlanFacts.currentFormat
  /// The plan's hash: the job's identity.
  package var hash: Digest
  /// The SHA-256 of the plan's file.
  package var file: Digest
  /// The whole number of output frames; 0 for a file of sound alone.
  package var frameCount: Int
  /// The length of one output frame, in seconds.
  package var frameDuration: RationalTime
  /// Why the output has its frame rate, if that was derived.
  package var frameRate: FrameRateReport?
  /// The kind of file to make.
  package var fileType: FileType
  /// How its chunks are encoded.
  package var codec: VideoSettings.Codec
  /// How many segments there are.
  package var segmentCount: Int
  /// The plan without its segments and sound.
  package var head: PlanPart
  /// The sound, if there is any.
  package var sound: Sound?
  /// The assets that its segments show, pictures that planning made among them.
  package var assets: [Digest]
  /// The pictures that planning made of layers, which are kept as assets.
  package var pictures: [AssetReference]
}

/// The part of a segment that its lease needs.
package struct LeasedContent: Codable {
  /// What to render.
  package var description: SegmentDescription
}
