import Timeline

/// The parts of a mix in which a single input is heard, at its own speed and at volume 1.
struct HeardAlone {
  /// A part of an input.
  struct Part: Hashable {
    /// The input's index in ``MixDescription/inputs``.
    var input: Int
    /// The samples of the mix.
    var samples: Range<Int64>
  }

  /// The parts of the exported sound, in order of time.
  let parts: [Part]

  /// A part of an input that is not muted.
  private struct Audible {
    let input: Int
    let samples: Range<Int64>
    let isUnchanged: Bool
  }

  /// Finds the parts of a mix.
  init(in mix: MixDescription) throws(TimeError) {
    let sample = try RationalTime(1, Int64(mix.settings.sampleRate))
    let ducked = Set((mix.ducking ?? []).flatMap(\.inputs))
    var audible: [Audible] = []
    for (number, input) in mix.inputs.enumerated() {
      let isChanged = input.timeMap != nil || ducked.contains(number)
      for (samples, volume) in try Self.volumes(of: input, sample: sample) where volume != 0 {
        audible.append(
          Audible(input: number, samples: samples, isUnchanged: volume == 1 && !isChanged))
      }
    }
    let exported = (mix.skippedSamples ?? 0)..<max(mix.skippedSamples ?? 0, mix.sampleCount)
    parts = Self.alone(audible).map {
      Part(input: $0.input, samples: $0.samples.clamped(to: exported))
    }.filter { !$0.samples.isEmpty }
  }

  /// The volume of an input in each of its parts; `nil` if it changes.
  private static func volumes(
    of input: MixInput, sample: RationalTime
  ) throws(TimeError) -> [(samples: Range<Int64>, volume: Double?)] {
    let end = input.targetSample + input.sampleCount
    // As in the mixer, a piece applies from the first sample at or after its start.
    var changes: [(first: Int64, volume: Double?)] = [(.min, 1)]
    func change(at time: RationalTime, to volume: Double?) throws(TimeError) {
      let first = try time.ticks(of: sample, rounding: .up)
      while let last = changes.last, last.first >= first { changes.removeLast() }
      changes.append((first, volume))
    }
    for piece in input.volume.pieces {
      switch piece {
      case .step(let time, let value): try change(at: time, to: value)
      case .ramp(let range, let from, let to, _):
        try change(at: range.start, to: from == to ? from : nil)
        try change(at: range.end, to: to)
      }
    }
    return changes.indices.compactMap { index in
      let first = max(changes[index].first, input.targetSample)
      let next = index + 1 < changes.count ? min(changes[index + 1].first, end) : end
      return first < next ? (first..<next, changes[index].volume) : nil
    }
  }

  /// The ranges in which exactly one part is audible and unchanged.
  private static func alone(_ audible: [Audible]) -> [Part] {
    let edges = audible.indices.flatMap { index in
      [
        (at: audible[index].samples.lowerBound, begins: true, index: index),
        (at: audible[index].samples.upperBound, begins: false, index: index),
      ]
    }.sorted { ($0.at, $0.index) < ($1.at, $1.index) }
    var parts: [Part] = []
    var playing: Set<Int> = []
    var position = Int64.min
    for edge in edges {
      if edge.at > position, playing.count == 1, let only = playing.first,
        audible[only].isUnchanged
      {
        let part = Part(input: audible[only].input, samples: position..<edge.at)
        if let last = parts.last, last.input == part.input, last.samples.upperBound == position {
          parts[parts.count - 1].samples = last.samples.lowerBound..<edge.at
        } else {
          parts.append(part)
        }
      }
      position = edge.at
      if edge.begins { playing.insert(edge.index) } else { playing.remove(edge.index) }
    }
    return parts
  }
}
