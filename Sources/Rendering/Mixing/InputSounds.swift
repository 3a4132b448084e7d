import Media
import Planning
import Timeline

/// Opens the sounds of a mix's inputs, and collects what is silent in them because of damage.
final class InputSounds {
  let mix: MixDescription
  /// The damaged parts that were read.
  var silenced: SilencedParts
  private let open: (AudioSource) throws -> any ByteSource

  init(
    _ mix: MixDescription, silenced: SilencedParts,
    open: @escaping (AudioSource) throws -> any ByteSource
  ) {
    self.mix = mix
    self.silenced = silenced
    self.open = open
  }

  /// Creates the sound of an input, which is read from its beginning or, at its own speed, from a later sample of the
  /// mix on.
  ///
  /// - Parameter idle: readers that can be used again.
  func sound(
    of input: MixInput, from first: Int64, idle: inout [Lane]
  ) throws -> any InputSound {
    let (source, settings) = (mix.sources[input.source], mix.settings)
    guard let map = input.timeMap else {
      let start = input.sourceSample + max(first - input.targetSample, 0)
      let lane = try lane(of: input.source, at: settings.sampleRate, from: start, idle: &idle)
      return PlainSound(lane, from: start)
    }
    do {
      switch map.pitch {
      case .spectral:
        return try SpectralSound(
          try lane(
            of: input.source, at: settings.sampleRate, from: input.sourceSample, idle: &idle),
          map: map, rate: settings.sampleRate, channels: settings.channels, named: source.name)
      case .varispeed:
        return try VarispeedSound(
          try lane(of: input.source, at: source.stream.sampleRate, from: .max, idle: &idle),
          map: map, from: input.targetSample, rate: settings.sampleRate,
          channels: settings.channels)
      }
    } catch is TimeError {
      throw AudioMixer.invalid("a time map of “\(source.name)” is out of range")
    }
  }

  /// An idle reader of the same source, if possible one that need not seek back, or a new one.
  private func lane(
    of source: Int, at rate: Int, from first: Int64, idle: inout [Lane]
  ) throws -> Lane {
    let usable = idle.indices.filter { idle[$0].source == source && idle[$0].reader.rate == rate }
    let ahead = usable.filter { idle[$0].position <= first }
    if let nearest = ahead.max(by: { idle[$0].position < idle[$1].position }) ?? usable.first {
      return idle.remove(at: nearest)
    }
    let opened = mix.sources[source]
    let reader = try AudioReader(
      source: try open(opened), named: opened.name, stream: opened.stream, origin: opened.start,
      rate: rate, channels: mix.settings.channels, onDamage: mix.onDamage ?? .fail
    ) { [unowned self] in silenced.note($0, of: opened) }
    return Lane(source: source, reader: reader, position: first)
  }
}
