import Crypto
import Timeline

/// Writes the description of a job's sound.
///
/// Each edge of a source or target range is rounded to the nearest sample independently, so that ranges that adjoin in
/// the project adjoin in the mix.
struct MixWriter {
  let grid: OutputGrid
  let settings: AudioSettings
  let indexes: [String: MediaIndex]
  let digests: [String: Digest]

  /// The mix of a project's audio tracks; `nil` if they have no segments.
  func description(of project: Project) throws(TimeError) -> MixDescription? {
    let rate = try RationalTime(1, Int64(settings.sampleRate))
    let sampleCount = try grid.time(of: grid.frameCount).ticks(of: rate, rounding: .nearest)
    var mix = MixDescription(
      sampleCount: sampleCount, settings: settings, sources: [], inputs: [])
    var numbers: [Int: [Int]] = [:]
    for track in project.composition.tracks where track.mediaType == .audio {
      let parameters =
        project.audioMix?.inputParameters.first { $0.track == track.id }
        ?? AudioMixInputParameters(track: track.id)
      for run in Self.inputs(of: track) {
        guard let segment = run.first, let last = run.last else { continue }
        let target = try TimeRange(start: segment.target.start, end: last.target.end)
        let first = try target.start.ticks(of: rate, rounding: .nearest)
        let end = min(try target.end.ticks(of: rate, rounding: .nearest), sampleCount)
        guard first < end, let source = source(of: segment) else { continue }
        let number = mix.sources.firstIndex(of: source) ?? mix.sources.count
        if number == mix.sources.count { mix.sources.append(source) }
        numbers[track.id, default: []].append(mix.inputs.count)
        mix.inputs.append(
          MixInput(
            source: number,
            sourceSample: try segment.source.start.ticks(of: rate, rounding: .nearest),
            targetSample: first, sampleCount: end - first,
            volume: try Self.volume(parameters.volume, over: target, from: rate * first),
            timeMap: run.contains(where: \.changesSpeed)
              ? TimeMap(run, pitch: parameters.audioTimePitchAlgorithm ?? .spectral) : nil))
      }
    }
    mix.ducking = Self.ducking(project, inputs: numbers)
    return mix.inputs.isEmpty ? nil : mix
  }

  /// The inputs that are ducked under others; `nil` if there are none.
  ///
  /// - Parameter inputs: the numbers of each track's inputs.
  private static func ducking(_ project: Project, inputs: [Int: [Int]]) -> [MixDucking]? {
    let parameters = project.audioMix?.inputParameters ?? []
    let ducked = Set(parameters.filter { $0.duck != nil }.map(\.track))
    let others = project.composition.tracks.map(\.id).filter { !ducked.contains($0) }
    let all = parameters.compactMap { parameters -> MixDucking? in
      guard var ducking = parameters.duck, let own = inputs[parameters.track] else { return nil }
      let under = (ducking.under ?? others).flatMap { inputs[$0] ?? [] }.sorted()
      ducking.under = nil
      return under.isEmpty ? nil : MixDucking(inputs: own, under: under, ducking: ducking)
    }
    return all.isEmpty ? nil : all
  }

  /// The parts of a track that play as one input each: a segment, or a whole run of contiguous segments if one of them
  /// changes the speed.
  private static func inputs(of track: Track) -> [ArraySlice<TrackSegment>] {
    track.runs.flatMap { run in
      run.contains(where: \.changesSpeed) ? [run] : run.indices.map { run[$0...$0] }
    }
  }

  /// The part of a track's volume that applies to a segment whose first sample is at `start`.
  ///
  /// That sample may begin up to half a sample before the segment, and then has the volume of the segment's start.
  private static func volume(
    _ volume: Ramps<Double>, over target: TimeRange, from start: RationalTime
  ) -> Ramps<Double> {
    var volume = volume.restricted(from: target.start, to: target.end)
    if let piece = volume.pieces.first, piece.start > start,
      let first = volume.value(at: target.start)
    {
      volume.pieces.insert(.step(at: start, value: first), at: 0)
    }
    return volume
  }

  private func source(of segment: TrackSegment) -> AudioSource? {
    guard let index = indexes[segment.asset], let digest = digests[segment.asset] else {
      return nil
    }
    return AudioSource(
      asset: digest, name: segment.asset, start: index.start,
      stream: index.audio[segment.trackIndex])
  }
}

extension TimeMap {
  fileprivate init(_ segments: ArraySlice<TrackSegment>, pitch: AudioTimePitchAlgorithm) {
    self.init(
      pitch: pitch, pieces: segments.map { Piece(source: $0.source, target: $0.target) })
  }
}
