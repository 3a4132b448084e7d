import Planning
import Timeline

/// The sum of inputs in order of time, before anything is clipped.
///
/// A sample does not depend on where reading began, or on how many samples are read at a time.
final class InputSum {
  /// The maximum number of idle readers that are kept open.
  private static let idleLimit = 8

  /// The number of channels.
  var channels: Int { sounds.mix.settings.channels }
  /// The next sample of the mix.
  private(set) var position: Int64
  private let inputs: [MixedInput]
  private let sounds: InputSounds
  private var playing: [(input: MixedInput, sound: any InputSound)] = []
  private var idle: [Lane] = []
  private var next = 0

  /// Creates the sum from a sample of the mix on.
  ///
  /// - Parameter inputs: the inputs, ordered by first sample.
  init(of inputs: [MixedInput], from first: Int64, sounds: InputSounds) {
    self.inputs = inputs
    self.sounds = sounds
    position = first
  }

  /// The next samples, per channel.
  func read(_ count: Int) throws -> [[Float]] {
    let (first, end) = (position, position + Int64(count))
    while next < inputs.count, inputs[next].description.targetSample < end {
      let input = inputs[next]
      next += 1
      guard input.description.end > first else { continue }
      let sound = try sounds.sound(of: input.description, from: first, idle: &idle)
      if input.description.timeMap != nil {
        try skip(first - input.description.targetSample, of: sound)
      }
      playing.append((input, sound))
    }
    var block = Array(
      repeating: [Float](repeating: 0, count: count), count: channels)
    for (input, sound) in playing {
      try input.add(from: sound, to: &block, at: first)
      try sounds.silenced.check(of: sounds.mix.sources)
    }
    idle += playing.filter { $0.input.description.end <= end }.map(\.sound.lane)
    playing.removeAll { $0.input.description.end <= end }
    idle.removeAll { lane in !inputs[next...].contains { $0.description.source == lane.source } }
    idle.removeFirst(max(idle.count - Self.idleLimit, 0))
    position = end
    return block
  }

  /// Reads what an input at changed speed plays before the sum begins.
  private func skip(_ count: Int64, of sound: any InputSound) throws {
    var rest = count
    while rest > 0 {
      let part = min(rest, Int64(AudioMixer.blockSize))
      _ = try sound.read(Int(part))
      rest -= part
    }
  }
}
