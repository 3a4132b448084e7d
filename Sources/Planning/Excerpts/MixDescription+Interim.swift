import Timeline

extension MixDescription {
  /// The interim mix of a project that follows recordings: AAC from the excerpts of the recordings, without a target
  /// loudness, because the loudness of the whole mix is not known yet.
  ///
  /// While a recording grows, more inputs are added. Those before them change only after the end of the frames that can
  /// be rendered, so that the sound of a piece stays the same. Ducking is limited to times that a piece can depend on.
  ///
  /// - Parameters:
  ///   - recordings: the recordings that the project follows, by asset name.
  ///   - indexes: the media indexes by asset name.
  /// - Returns: `nil` if a recording, or more than a minute of other sound, plays at another speed.
  func interim(
    showing recordings: [String: ExcerptedRecording], indexes: [String: MediaIndex]
  ) throws(TimeError) -> MixDescription? {
    guard try hasFewChangedSpeeds else { return nil }
    var mix = self
    mix.settings.codec = .aac
    mix.settings.bitDepth = nil
    mix.settings.loudness = nil
    if settings.codec != .aac { mix.settings.bitRate = nil }
    (mix.copied, mix.copiedParts) = (nil, nil)
    mix.onDamage = .conceal
    (mix.sources, mix.inputs) = ([], [])
    let excerpts = try sources.map { source throws(TimeError) -> ExcerptedSound? in
      guard let recording = recordings[source.name], let index = indexes[source.name] else {
        return nil
      }
      return try ExcerptedSound(of: source, recording, index, sampleRate: settings.sampleRate)
    }
    var numbers: [[Int]] = []
    var known: [AudioSource: Int] = [:]
    for input in inputs {
      let parts: [(source: AudioSource, input: MixInput)]
      if let sound = excerpts[input.source] {
        guard input.timeMap == nil else { return nil }
        parts = sound.parts(of: input)
      } else {
        parts = [(sources[input.source], input)]
      }
      let first = mix.inputs.count
      for (source, part) in parts {
        let number = known[source] ?? mix.sources.count
        if number == mix.sources.count {
          mix.sources.append(source)
          known[source] = number
        }
        mix.inputs.append(part)
        mix.inputs[mix.inputs.count - 1].source = number
      }
      numbers.append(Array(first..<mix.inputs.count))
    }
    mix.ducking = try ducking?.map { ducking throws(TimeError) -> MixDucking in
      MixDucking(
        inputs: ducking.inputs.flatMap { numbers[$0] },
        under: ducking.under.flatMap { numbers[$0] },
        ducking: try ducking.ducking.interim)
    }
    return mix
  }

  /// The longest sound at another speed, in seconds, because each piece plays it from its beginning.
  private static let changedSpeedLimit: Int64 = 60

  /// Whether the sound at another speed is short enough to be played from its beginning for each piece.
  private var hasFewChangedSpeeds: Bool {
    get throws(TimeError) {
      let second = Int64(settings.sampleRate)
      let sample = try RationalTime(1, second)
      var rest = Self.changedSpeedLimit * second
      for input in inputs {
        guard let pieces = input.timeMap?.pieces else { continue }
        var source: Int64 = 0
        for piece in pieces where source <= rest {
          let count = try piece.source.duration.ticks(of: sample, rounding: .up)
          source = count <= rest ? source + count : .max
        }
        guard max(source, input.sampleCount) <= rest else { return false }
        rest -= max(source, input.sampleCount)
      }
      return true
    }
  }

  /// The part of the mix that is heard in a range of its samples. Its samples keep their numbers.
  ///
  /// Inputs at their own speed are cut; inputs at another speed stay whole, because they can be played only from their
  /// beginning.
  public func restricted(to samples: Range<Int64>) -> MixDescription {
    var mix = self
    mix.sampleCount = min(sampleCount, max(samples.upperBound, 0))
    mix.inputs = []
    var numbers: [Int: Int] = [:]
    for (number, input) in inputs.enumerated() where input.samples.overlaps(samples) {
      numbers[number] = mix.inputs.count
      guard input.timeMap == nil else {
        mix.inputs.append(input)
        continue
      }
      mix.inputs.append(input.clamped(to: samples))
    }
    mix.ducking = ducking?.map { ducking in
      MixDucking(
        inputs: ducking.inputs.compactMap { numbers[$0] },
        under: ducking.under.compactMap { numbers[$0] }, ducking: ducking.ducking)
    }
    return mix
  }
}

extension Ducking {
  /// The longest attack, in seconds. The sound of an excerpt continues for a little longer after its frames.
  private static let longestAttack = Ducking().attack

  /// The ducking in an interim mix. It depends only on sound that is recorded when a piece is made, and that the piece is
  /// made from (see ``InterimReach``).
  fileprivate var interim: Ducking {
    get throws(TimeError) {
      let longest = RationalTime(InterimReach.duckingTime)
      var ducking = self
      ducking.attack = min(attack, Self.longestAttack)
      // The gain does not jump.
      ducking.hold = min(hold, try longest - min(release, RationalTime(1)))
      ducking.release = min(release, try longest - ducking.hold)
      return ducking
    }
  }
}

extension MixInput {
  /// The samples of the mix in which it plays.
  public var samples: Range<Int64> { targetSample..<targetSample + sampleCount }

  /// The part of an input at its own speed that plays in a range of the mix.
  func clamped(to samples: Range<Int64>) -> MixInput {
    let part = self.samples.clamped(to: samples)
    var input = self
    input.sourceSample += part.lowerBound - targetSample
    (input.targetSample, input.sampleCount) = (part.lowerBound, Int64(part.count))
    return input
  }
}
