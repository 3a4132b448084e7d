import Timeline

extension MediaIndex {
  /// The index of a clip that does not exist, for tests of code that only uses indexes.
  ///
  /// - Parameters:
  ///   - seconds: the duration of video and sound.
  ///   - rate: frames per second.
  ///   - timeBase: seconds per tick of the video stream; 1/90000 by default.
  ///   - keyframeInterval: the number of frames from one keyframe to the next.
  ///   - start: the asset's time zero on the container's clock.
  public static func clip(
    seconds: RationalTime, rate: RationalTime = RationalTime(25),
    size: PixelSize = PixelSize(width: 1920, height: 1080), orientation: Orientation = .identity,
    pixelAspectRatio: RationalTime = RationalTime(1), timeBase: RationalTime? = nil,
    keyframeInterval: Int = 25, hasAudio: Bool = true, start: RationalTime = .zero
  ) throws -> MediaIndex {
    let timeBase = try timeBase ?? RationalTime(1, 90_000)
    let frameDuration = try RationalTime(1) / rate
    let count = try seconds.ticks(of: frameDuration, rounding: .nearest)
    let times = try (0..<count).map { try (start + frameDuration * $0).ticks(of: timeBase) }
    return MediaIndex.clip(
      times: times, end: try (start + seconds).ticks(of: timeBase), timeBase: timeBase,
      duration: seconds, rate: rate, size: size, orientation: orientation,
      pixelAspectRatio: pixelAspectRatio, keyframeInterval: keyframeInterval, hasAudio: hasAudio,
      start: start)
  }

  /// The index of a clip with frames at given ticks.
  public static func clip(
    times: [Int64], end: Int64, timeBase: RationalTime, duration: RationalTime,
    rate: RationalTime? = nil, size: PixelSize = PixelSize(width: 1920, height: 1080),
    orientation: Orientation = .identity, pixelAspectRatio: RationalTime = RationalTime(1),
    keyframeInterval: Int = 25, hasAudio: Bool = false, start: RationalTime = .zero
  ) -> MediaIndex {
    let keyframes = stride(from: 0, to: times.count, by: keyframeInterval).map { index in
      FrameTable.Keyframe(
        time: times[index], decodingTime: times[index], position: Int64(index) * 1000,
        hasLeadingFrames: false)
    }
    let stream = VideoStream(
      streamIndex: 0, codec: "h264", timeBase: timeBase, size: size, pixelFormat: "yuv420p",
      pixelAspectRatio: pixelAspectRatio, cleanAperture: nil, orientation: orientation,
      color: ColorTags(primaries: nil, transfer: nil, matrix: nil, range: nil),
      fieldOrder: "progressive", nominalFrameRate: rate, parameterSets: [1, 2, 3],
      frames: FrameTable(times: times, end: end, keyframes: keyframes))
    return MediaIndex(
      format: "mov,mp4,m4a,3gp,3g2,mj2", start: start, duration: duration, isStillImage: false,
      video: [stream], audio: hasAudio ? [.stereo] : [])
  }

  /// The index of a still image.
  public static func stillImage(size: PixelSize, isGrayscale: Bool = true) -> MediaIndex {
    var index = clip(
      times: [0], end: 1, timeBase: RationalTime(1), duration: .zero, size: size)
    index.isStillImage = true
    index.isGrayscale = isGrayscale
    return index
  }

  /// The index of an audio-only file.
  public static func sound(seconds: RationalTime) -> MediaIndex {
    MediaIndex(
      format: "mov,mp4,m4a,3gp,3g2,mj2", start: .zero, duration: seconds, isStillImage: false,
      video: [], audio: [.stereo])
  }
}

extension AudioStream {
  /// Stereo AAC at 48 kHz.
  fileprivate static let stereo = AudioStream(
    streamIndex: 1, codec: "aac", timeBase: RationalTime(1), sampleRate: 48_000, channels: 2,
    layout: "stereo", start: 0, end: 1, encoderDelay: 1024)
}
