import Timeline

/// The format of a source's sound.
private struct SoundFormat: Hashable {
  var codec: String
  var sampleRate: Int
  var channels: Int

  init(_ stream: AudioStream) {
    (codec, sampleRate, channels) = (stream.codec, stream.sampleRate, stream.channels)
  }
}

extension MixDescription {
  /// The shortest range whose packets are copied: half a second, because the packets at its ends are encoded.
  private static let shortestCopy = 0.5

  /// The settings with which most of the sound that is heard alone and unchanged can be copied, or keeps all its bits;
  /// `nil` if that is not possible, or if other sound would lose channels or high frequencies.
  func formatOfSources(in fileType: FileType) throws(TimeError) -> AudioSettings? {
    guard settings.loudness == nil else { return nil }
    var heard: [SoundFormat: Int64] = [:]
    for part in try HeardAlone(in: self).parts {
      heard[SoundFormat(sources[inputs[part.input].source].stream), default: 0] += Int64(
        part.samples.count)
    }
    // Formats with equal shares are ordered, so that the choice depends on nothing else.
    guard
      let format = heard.max(by: { a, b in
        (a.value, a.key.codec, a.key.sampleRate, a.key.channels)
          < (b.value, b.key.codec, b.key.sampleRate, b.key.channels)
      })?.key
    else { return nil }
    let streams = sources.map(\.stream)
    guard let codec = Self.codec(format.codec), fileType.audioCodecs.contains(codec),
      codec.sampleRates.contains(format.sampleRate), [1, 2, 6].contains(format.channels),
      format.channels >= min(streams.map(\.channels).max() ?? 0, 2),
      format.sampleRate >= min(streams.map(\.sampleRate).max() ?? 0, 44_100)
    else { return nil }
    return AudioSettings(
      codec: codec, sampleRate: format.sampleRate, channels: format.channels,
      bitDepth: codec == .pcm ? (format.codec.hasPrefix("pcm_s16") ? 16 : 24) : nil)
  }

  /// The codec in which the sound of a source can be continued.
  private static func codec(_ name: String) -> AudioSettings.Codec? {
    switch name {
    case "aac": .aac
    case "pcm_s16le", "pcm_s16be", "pcm_s24le", "pcm_s24be": .pcm
    default: nil
    }
  }

  /// The ranges whose packets can be copied if the packets' places allow that. Linear PCM needs none: mixing leaves
  /// the samples of sound that is heard alone as they are.
  func rangesToCopy() throws(TimeError) -> [CopiedSoundRange] {
    guard settings.codec == .aac, settings.loudness == nil else { return [] }
    var ranges: [CopiedSoundRange] = []
    for part in try HeardAlone(in: self).parts {
      let input = inputs[part.input]
      let stream = sources[input.source].stream
      guard stream.codec == "aac", stream.sampleRate == settings.sampleRate,
        stream.channels == settings.channels, stream.damage == nil
      else { continue }
      let range = CopiedSoundRange(
        source: input.source,
        sourceSample: input.sourceSample + part.samples.lowerBound - input.targetSample,
        targetSample: part.samples.lowerBound, sampleCount: Int64(part.samples.count))
      if let last = ranges.last, last.source == range.source, last.end == range.targetSample,
        last.sourceSample + last.sampleCount == range.sourceSample
      {
        ranges[ranges.count - 1].sampleCount += range.sampleCount
      } else {
        ranges.append(range)
      }
    }
    let shortest = Int64(Self.shortestCopy * Double(settings.sampleRate))
    return ranges.filter { $0.sampleCount >= shortest }
  }
}
