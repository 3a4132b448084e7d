import Timeline

/// The sound of a recording, as it is in its excerpts.
struct ExcerptedSound {
  /// A range of the recording's samples, and the excerpt to read it from.
  private struct Part {
    let source: AudioSource
    let end: Int64
  }

  /// One over the time in seconds that sound is still read from the excerpt before after the start of an excerpt's
  /// pictures and sound. Decoders need a few packets to begin, and encoders look ahead by a few.
  private static let overlapsPerSecond: Int64 = 4

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
    /// Each source with the sample from which on it is used at the latest, and the end of its sound, counted from the
    /// recording's time zero.
    var sounds: [(source: AudioSource, switching: Int64, end: Int64)] = []
    var shownEnd: Int64 = 0
    for excerpt in recording.excerpts where excerpt.index.audio.indices.contains(track) {
      let stream = excerpt.index.audio[track]
      guard stream.start < stream.end else { continue }
      var start = try stream.timeBase * stream.start
      let overlap = try RationalTime(1, Self.overlapsPerSecond)
      if let video = excerpt.stream, let own = excerpt.ownFrames {
        let (times, end) = (video.frames.times, own.upperBound)
        start = max(start, try video.timeBase * times[own.lowerBound])
        let shown = try video.timeBase * (end < times.count ? times[end] : video.frames.end)
        shownEnd = try (shown + overlap - index.start).ticks(of: sample, rounding: .nearest)
      }
      let switching = try start + overlap - index.start
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
      parts.append(Part(source: sound.source, end: min(next, max(sound.end, 0))))
    }
  }

  /// The parts of an input that plays the recording.
  func parts(of input: MixInput) -> [(source: AudioSource, input: MixInput)] {
    var found: [(source: AudioSource, input: MixInput)] = []
    let shift = input.targetSample - input.sourceSample
    var start = Int64.min
    for part in parts {
      let (first, end) = (max(start, input.sourceSample), part.end)
      start = max(start, end)
      let last = min(end, input.sourceSample + input.sampleCount)
      guard first < last else { continue }
      found.append((part.source, input.clamped(to: first + shift..<last + shift)))
    }
    return found
  }
}
