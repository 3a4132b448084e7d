import Foundation

/// Silence with one-sample clicks at known samples, or a steady tone, written by `ffmpeg`.
public struct ClickTrack: Sendable {
  /// Samples per second.
  public var sampleRate: Int
  /// The number of channels, which are all equal.
  public var channels: Int
  /// Length in samples.
  public var sampleCount: Int
  /// The samples that are clicks.
  public var clicks: [Int]
  /// Level of a click, 0 to 1.
  public var level: Float

  /// Creates a track with the given properties.
  public init(
    sampleRate: Int = 48000, channels: Int = 2, sampleCount: Int, clicks: [Int],
    level: Float = 0.75
  ) {
    self.sampleRate = sampleRate
    self.channels = channels
    self.sampleCount = sampleCount
    self.clicks = clicks
    self.level = level
  }

  /// The samples of one channel.
  public var samples: [Float] {
    var samples = [Float](repeating: 0, count: sampleCount)
    for click in clicks { samples[click] = level }
    return samples
  }

  /// Writes the track to `path`, whose extension selects the container.
  ///
  /// - Parameter encoding: ffmpeg's output options, e.g. `["-c:a", "aac"]`; 32-bit float PCM by default.
  public func write(to path: String, encoding: [String] = ["-c:a", "pcm_f32le"]) throws {
    try PCM.write(
      Array(repeating: samples, count: channels), sampleRate: sampleRate, to: path,
      encoding: encoding)
  }
}

/// Reads and writes samples with the `ffmpeg` command.
public enum PCM {
  /// Writes planar samples to `path`.
  ///
  /// - Parameter guessesLayout: whether `ffmpeg` assumes the default layout for the number of channels, and stores it in
  ///   the file if the container can.
  public static func write(
    _ channels: [[Float]], sampleRate: Int, to path: String,
    encoding: [String] = ["-c:a", "pcm_f32le"], guessesLayout: Bool = true
  ) throws {
    var interleaved: [Float] = []
    interleaved.reserveCapacity(channels.count * (channels.first?.count ?? 0))
    for index in channels[0].indices {
      for channel in channels { interleaved.append(channel[index]) }
    }
    let input = interleaved.withUnsafeBytes { Data($0) }
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "f32le", "-ar", "\(sampleRate)", "-ac", "\(channels.count)",
      ] + (guessesLayout ? [] : ["-guess_layout_max", "0"]) + ["-i", "-"] + encoding + [
        "-bitexact", path,
      ], input: input)
  }

  /// The samples of the first audio stream per channel, after the container's edit list is applied.
  public static func read(_ path: String, channels: Int) throws -> [[Float]] {
    let data = try Tool.run(
      "ffmpeg",
      ["-v", "error", "-flags", "bitexact", "-i", path, "-map", "0:a:0", "-f", "f32le", "-"])
    let interleaved = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    return (0..<channels).map { channel in
      stride(from: channel, to: interleaved.count, by: channels).map { interleaved[$0] }
    }
  }
}
