import Timeline

/// Finds the sound of a recording in its excerpts.
struct ExcerptedSound {
  /// A range of the recording's samples, and the excerpt to read it from.
  private struct Part {
    let source: AudioSource
    let end: Int64
  }

  /// The time after an excerpt's start in which sound is still read from the previous excerpt, because decoders need a few
  /// packets to begin.
  private static var overlap: RationalTime {
    get throws(TimeError) { try RationalTime(1, 4) }
  }

  /// In order. Each part begins where the one before ends.
  private var parts: [Part] = []

  /// Finds the sound of a source in the excerpts of its recording.
  ///
  /// - Parameters:
  ///   - index: the recording's own index.
  ///   - sampleRate: samples per second of the mix.
  init(
    of source: AudioSource, _ recording: ExcerptedRecording, _ index: MediaIndex, sampleRate: Int
  ) throws(TimeError) {
    let sample = try RationalTime(1, Int64(sampleRate))
    guard let track = index.audio.firstIndex(of: source.stream) else { return }
    /// Each source with the sample at which it replaces the previous source, and the end of its sound, counted from the
    /// recording's time zero.
    var sounds: [(source: AudioSource, switching: Int64, end: Int64)] = []
    var shownEnd: Int64 = 0
    for excerpt in recording.excerpts where excerpt.index.audio.indices.contains(track) {
      let stream = excerpt.index.audio[track]
      guard stream.start < stream.end else { continue }
      var start = try stream.timeBase * stream.start
      if let video = excerpt.stream, let own = excerpt.ownFrames {
        let (times, end) = (video.frames.times, own.upperBound)
        start = max(start, try video.timeBase * times[own.lowerBound])
        let shown = try video.timeBase * (end < times.count ? times[end] : video.frames.end)
        shownEnd = try (shown + Self.overlap - index.start).ticks(of: sample, rounding: .nearest)
      }
      let switching = try start + Self.overlap - index.start
      let end = try stream.timeBase * stream.end - index.start
      sounds.append(
        (
          AudioSource(
            asset: excerpt.asset, name: excerpt.name, start: index.start, stream: stream),
          try switching.ticks(of: sample, rounding: .nearest),
          try end.ticks(of: sample, rounding: .nearest)
        ))
    }
    // The rest of a recording that has ended is in its own file.
    if recording.isComplete { sounds.append((source, shownEnd, .max)) }
    for (number, sound) in sounds.enumerated() {
      let next = sounds.indices.contains(number + 1) ? sounds[number + 1].switching : .max
      let start = parts.last?.end ?? .min
      parts.append(Part(source: sound.source, end: max(start, min(next, max(sound.end, 0)))))
    }
  }

  /// The parts of an input that plays the recording.
  func parts(of input: MixInput) -> [(source: AudioSource, input: MixInput)] {
    var found: [(source: AudioSource, input: MixInput)] = []
    let shift = input.targetSample - input.sourceSample
    let end = input.sourceSample + input.sampleCount
    var (first, number) = (input.sourceSample, firstPart(endingAfter: input.sourceSample))
    while first < end, number < parts.count {
      let last = min(parts[number].end, end)
      if first < last {
        found.append((parts[number].source, input.clamped(to: first + shift..<last + shift)))
        first = last
      }
      number += 1
    }
    return found
  }

  private func firstPart(endingAfter sample: Int64) -> Int {
    var (low, high) = (0, parts.count)
    while low < high {
      let middle = (low + high) / 2
      if parts[middle].end <= sample { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
