import Crypto
import FarmAPI
import Planning
import Timeline

/// The part of a plan that the coordinator keeps in memory. The rest is in the plan's file.
///
/// The file contains lines of JSON: the plan without its segments and sound, then the sound, then the leased content of
/// each segment.
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
    /// An upper bound on the mixing time on an idle host, in seconds.
    package var computing: Double
    /// The `Fingerprint` of the host's libraries when the plan was frozen; `nil` in plans of
    /// earlier versions.
    package var fingerprint: String?
    /// Whether the file can be assembled while the sound is mixed; `nil` in plans of earlier versions, where it cannot.
    package var arrivesInParts: Bool?

    package init(
      part: PlanPart, sources: [Source], computing: Double, arrivesInParts: Bool? = nil
    ) {
      self.part = part
      self.sources = sources
      self.computing = computing
      self.arrivesInParts = arrivesInParts
    }
  }

  /// The current format of the plan's file. Raise it if workers can no longer read what earlier versions wrote about a
  /// segment; running jobs are then planned again after the upgrade.
  package static let currentFormat = 3

  /// The sound of the job's stream while the job follows a recording.
  package struct InterimMix: Hashable, Codable, Sendable {
    /// An asset that is heard.
    package struct Source: Hashable, Codable, Sendable {
      /// The asset's name in messages.
      package var name: String
      /// Its SHA-256.
      package var asset: Digest
      /// The samples of the mix from the first to the last one in which it may be heard.
      package var samples: Range<Int64>
      /// Its file. The coordinator adds it, because a plan cannot be trusted to name only assets of its job.
      package var reference: AssetReference?
    }

    /// The `MixDescription`.
    package var part: PlanPart
    /// The assets, including excerpts of recordings.
    package var sources: [Source]
    /// The samples that decide the sound of a piece.
    package var reach: InterimReach

    /// The assets that may be needed for the sound in a range of time; `nil` stands for the start and the end.
    package func sources(
      from start: RationalTime?, before end: RationalTime?
    ) throws(TimeError) -> [Source] {
      let samples = try reach.samples(from: start, before: end)
      return sources.filter { $0.samples.overlaps(samples) }
    }
  }

  /// An asset whose packets are copied into the file from where it is, because chunks only refer to them.
  package struct CopiedAsset: Hashable, Codable, Sendable {
    /// The asset's SHA-256.
    package var asset: Digest
    /// The asset's name in messages. The coordinator adds it.
    package var name: String?
    /// Its file. The coordinator adds it, because a plan cannot be trusted to name only assets of its job.
    package var reference: AssetReference?

    package init(asset: Digest, name: String? = nil, reference: AssetReference? = nil) {
      self.asset = asset
      self.name = name
      self.reference = reference
    }
  }

  /// The format of this plan's file.
  package var format = PlanFacts.currentFormat
  /// The plan's hash: the job's identity.
  package var hash: Digest
  /// The SHA-256 of the plan's file.
  package var file: Digest
  /// The `TableDigest` of its segments.
  package var table: Digest
  /// The total number of output frames; 0 for an audio-only file.
  package var frameCount: Int
  /// The length of one output frame, in seconds.
  package var frameDuration: RationalTime
  /// The reason for the output's frame rate, if it was derived.
  package var frameRate: FrameRateReport?
  /// The kind of file to make.
  package var fileType: FileType
  /// The codec of its chunks.
  package var codec: VideoSettings.Codec
  package var segmentCount: Int
  /// The plan without its segments and sound.
  package var head: PlanPart
  /// The sound, if there is any.
  package var sound: Sound?
  /// The assets that its segments use, including pictures that planning made.
  package var assets: [Digest]
  /// The pictures of layers that planning made, and the excerpts of recordings, which are stored as assets.
  package var pictures: [AssetReference]
  /// The assets to which chunks refer; `nil` if there are none.
  package var copiedAssets: [CopiedAsset]?
  /// The number of excerpts and complete recordings that it was planned with, if a recording that the project follows had
  /// not ended. The plan then has no sound and will be replaced. `nil` for the final plan.
  package var excerptCount: Int?
  /// Whether it ends early, because the rest of the timeline is not recorded yet; `nil` means no.
  package var isPartial: Bool?

  /// The sound of the job's stream; `nil` if the project follows no recording.
  package var interimSound: InterimSound?
  /// That sound, if it is `mixed`.
  package var interimMix: InterimMix?
  /// A digest of what decides the header of the stream's pieces; `nil` if the project follows no recording.
  package var streamFormat: Digest?
  /// The hash of the job's first plan with the finished segments of this one; `nil` if it is this one. The coordinator sets
  /// it when it replaces a plan.
  package var streamOrigin: Digest?

  /// Different for each plan whose stream does not continue that of the plan before it.
  package var streamRevision: String { String((streamOrigin ?? hash).description.prefix(16)) }

  /// Whether players can continue with this plan's stream if all segments of an earlier plan are the same.
  package func continuesStream(of earlier: PlanFacts) -> Bool {
    frameDuration == earlier.frameDuration && codec == earlier.codec
      && interimSound == earlier.interimSound
  }

  /// Whether it will be replaced, because the project follows a recording.
  package var isProvisional: Bool { excerptCount != nil }

  /// The plan without its lists of assets, which grow with the number of a project's files.
  package var withoutLists: PlanFacts {
    var plan = self
    (plan.assets, plan.pictures) = ([], [])
    plan.sound?.sources = []
    plan.interimMix?.sources = []
    if plan.copiedAssets != nil { plan.copiedAssets = [] }
    return plan
  }
}

/// The part of a segment that its lease needs.
package struct LeasedContent: Codable {
  /// The segment to render.
  package var description: SegmentDescription
}
