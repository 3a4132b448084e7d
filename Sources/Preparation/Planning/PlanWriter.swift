import Crypto
import FarmAPI
import Foundation
import Planning
import Timeline

/// Writes a plan in the coordinator's format: a file with the plan, and a table of its segments in two files.
package struct PlanWriter {
  /// The name of the plan's file.
  package static let planName = "plan"
  /// The names of the files of its `SegmentTable`.
  package static let tableName = "table"
  package static let assetsName = "table-assets"

  private let limits: PlanningLimits
  private let output: ResultFile
  private var offset: Int64 = 0

  /// Writes a plan into a directory. Blocks.
  ///
  /// - Throws: ``JobError`` that names the limit if a part is too large.
  static func write(
    _ plan: Plan, to directory: String, within limits: PlanningLimits
  ) throws -> PlanFacts {
    try checkCount(of: plan, within: limits)
    let path = "\(directory)/\(planName)"
    var writer = try PlanWriter(at: path, limits)
    return try writer.write(plan, to: directory)
  }

  /// Refuses a plan with too many segments.
  static func checkCount(of plan: Plan, within limits: PlanningLimits) throws(JobError) {
    guard plan.segments.count <= limits.segments else {
      throw JobError.beyond(
        "--max-segments-per-job",
        "the project has \(plan.segments.count) segments, more than the limit of \(limits.segments)",
        "split the project")
    }
  }

  private init(at path: String, _ limits: PlanningLimits) throws {
    output = try ResultFile(path)
    self.limits = limits
  }

  private mutating func write(
    _ plan: Plan, to directory: String
  ) throws -> PlanFacts {
    var bare = plan
    (bare.segments, bare.mix, bare.methods, bare.interimMix) = ([], nil, nil, nil)
    let head = try append(
      bare, called: "the plan's description of the file (chapters and metadata)",
      remedy: "use fewer chapters and shorter texts")
    let sound = try plan.mix.map { mix in
      var seen: Set<Digest> = []
      return PlanFacts.Sound(
        part: try append(mix, called: nil),
        sources: mix.sources.filter { seen.insert($0.asset).inserted }
          .map { PlanFacts.Sound.Source(name: $0.name, asset: $0.asset) },
        computing: mix.computingSeconds,
        arrivesInParts: mix.settings.codec == .aac && plan.frameCount > 0
          && plan.export.fileLengthLimit == nil)
    }
    let interimMix = try plan.interimMix.map { mix in
      PlanFacts.InterimMix(
        part: try append(mix, called: nil), sources: mix.heardSources(), reach: mix.interimReach)
    }
    let records = try ResultFile("\(directory)/\(Self.tableName)")
    let assetFile = try ResultFile("\(directory)/\(Self.assetsName)")
    var assetCount: Int64 = 0
    var table = TableDigest()
    var pictures: [Digest: AssetReference] = [:]
    var shown: Set<Digest> = []
    var copied: Set<Digest> = []
    for (number, segment) in plan.segments.enumerated() {
      var seen: Set<Digest> = []
      let assets = segment.sources.map(\.asset).filter { seen.insert($0).inserted }
      shown.formUnion(assets)
      if let copy = segment.copy, copy.refersToSource == true {
        copied.insert(segment.sources[copy.source].asset)
      }
      for picture in segment.sources.compactMap(\.planned) { pictures[picture.digest] = picture }
      let part = try append(
        LeasedContent(description: segment),
        called: "the segment of frames \(segment.first) to \(segment.end - 1)")
      let record = PlannedSegment(
        frames: segment.first..<segment.end, cost: segment.expectedCost,
        peakMemory: segment.peakMemory, part: part,
        content: try SegmentContent(segment).digest, assets: assets,
        method: plan.methods.flatMap { $0.indices.contains(number) ? $0[number] : nil })
      table.add(record)
      try records.write(SegmentTable.encode(record, assetsFrom: assetCount))
      try assetFile.write(Data(record.assets.flatMap(\.bytes)))
      assetCount += Int64(record.assets.count)
    }
    return PlanFacts(
      hash: try plan.hash(), file: output.finish(), table: table.digest,
      frameCount: plan.frameCount, frameDuration: plan.frameDuration, frameRate: plan.frameRate,
      fileType: plan.export.fileType, codec: plan.export.video.codec,
      segmentCount: plan.segments.count, head: head, sound: sound, assets: shown.sorted(),
      pictures: pictures.values.sorted { $0.digest < $1.digest },
      copiedAssets: copied.isEmpty
        ? nil : copied.sorted().map { PlanFacts.CopiedAsset(asset: $0) },
      isPartial: plan.isPartial,
      interimSound: plan.interimSound, interimMix: interimMix,
      streamFormat: try plan.interimSound.map {
        try CanonicalJSON.digest(of: StreamFormat(plan, $0))
      })
  }

  /// Appends a line.
  ///
  /// - Parameters:
  ///   - subject: the name of the part in errors, if its length is limited.
  ///   - remedy: the remedy to suggest if the part is too long.
  private mutating func append(
    _ value: some Encodable, called subject: String?,
    remedy: String = "use fewer layers and ramps there"
  ) throws -> PlanPart {
    let data = try FarmCoding.encode(value)
    if let subject, data.count > limits.segmentBytes {
      throw JobError.beyond(
        "--max-segment-bytes",
        "\(subject) takes \(data.count) bytes, more than the limit of \(limits.segmentBytes)",
        remedy)
    }
    let part = PlanPart(offset: offset, length: data.count, digest: Digest.of(data))
    let line = data + Data([UInt8(ascii: "\n")])
    try output.write(line)
    offset += Int64(line.count)
    return part
  }
}

/// The properties that determine the header of a stream's pieces.
private struct StreamFormat: Encodable {
  let frameDuration: RationalTime
  let renderSize: PixelSize
  let video: VideoSettings
  let carried: CarriedFormat?
  let sound: InterimSound
  let settings: AudioSettings?

  init(_ plan: Plan, _ sound: InterimSound) {
    (frameDuration, renderSize, video) = (plan.frameDuration, plan.renderSize, plan.export.video)
    var carried = plan.carried
    // Each piece states its own delay.
    carried?.delay = 0
    self.carried = carried
    (self.sound, settings) = (sound, plan.interimMix?.settings)
  }
}

extension SourceStream {
  /// The reference of a picture that planning made, which is stored like an uploaded asset.
  fileprivate var planned: AssetReference? {
    byteCount.map { AssetReference(digest: asset, byteCount: $0) }
  }
}

extension MixDescription {
  /// The assets of an interim mix, each with the range of samples in which it may be heard.
  fileprivate func heardSources() -> [PlanFacts.InterimMix.Source] {
    var heard: [Int: Range<Int64>] = [:]
    for input in inputs {
      let known = heard[input.source] ?? input.samples
      heard[input.source] =
        min(
          known.lowerBound, input.samples.lowerBound)..<max(
          known.upperBound, input.samples.upperBound)
    }
    return sources.enumerated().compactMap { number, source in
      heard[number].map {
        PlanFacts.InterimMix.Source(name: source.name, asset: source.asset, samples: $0)
      }
    }
  }

  /// An upper bound on the mixing time on an idle host, in seconds: the duration of all the sound. Sound at
  /// changed speed that keeps its pitch and is measured for its loudness takes that long.
  fileprivate var computingSeconds: Double {
    let samples = inputs.reduce(sampleCount) { $0 + $1.sampleCount }
    return Double(samples) / Double(settings.sampleRate)
  }
}
