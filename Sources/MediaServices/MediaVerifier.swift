import Media
import Planning
import Timeline

/// Decodes every stream of an asset from its start and from every keyframe, and compares the results.
struct MediaVerifier {
  let source: any ByteSource
  let name: String
  let index: MediaIndex

  /// Returns the results for each stream that can be decoded.
  func verify() throws -> [StreamVerification] {
    var results: [StreamVerification] = []
    for (number, stream) in index.video.enumerated() where stream.unreadable == nil {
      results.append(try verify(stream, number: number))
    }
    for (number, stream) in index.audio.enumerated() where stream.unreadable == nil {
      results.append(try verify(stream, number: number))
    }
    return results
  }

  private func verify(_ stream: VideoStream, number: Int) throws -> StreamVerification {
    let linear = try linearDigests(of: stream)
    var damaged: Set<Int64> = []
    let reader = try FrameReader(
      source: source, named: name, stream: stream, deinterlaces: false, onDamage: .conceal
    ) { damaged.insert($0) }
    var differing: [Int64] = []
    var times = stream.frames.times[...]
    func compare(_ times: ArraySlice<Int64>) throws {
      for time in times {
        do {
          let digest = try reader.frame(at: time).contentDigest
          guard !damaged.contains(time), let expected = linear[time] else { continue }
          if digest != expected { differing.append(time) }
        } catch let error as MediaError where error.code == .frameMissing {
          damaged.insert(time)
        }
      }
    }
    // In reverse order, each keyframe forces a new seek.
    for keyframe in stream.frames.starts.reversed() {
      let first = times.firstIndex { $0 >= keyframe.time } ?? times.endIndex
      try compare(times[first...])
      times = times[..<first]
    }
    try compare(times)
    func seconds(_ ticks: some Sequence<Int64>) -> [Double] {
      ticks.sorted().map { Double($0) * stream.timeBase.seconds - index.start.seconds }
    }
    return StreamVerification(
      kind: "video", number: number, count: stream.frames.times.count,
      starts: stream.frames.starts.count, differing: seconds(differing), damaged: seconds(damaged))
  }

  /// The digests of all frames that decoding from the start yields, by time.
  private func linearDigests(of stream: VideoStream) throws -> [Int64: Int] {
    // A stream whose packets do not carry their frames' times is decoded only from its start.
    guard !stream.frames.keyframes.isEmpty, !index.isStillImage else { return [:] }
    let demuxer = try Demuxer(source: source, named: name)
    demuxer.select(streams: [stream.streamIndex])
    let decoder = try VideoDecoder(demuxer.streams[stream.streamIndex], named: name)
    let packet = try Packet()
    var digests: [Int64: Int] = [:]
    while true {
      switch try decoder.receive() {
      case .frame(let frame): digests[frame.time] = frame.contentDigest
      case .endOfStream: return digests
      case .needsInput:
        let result = try demuxer.read(into: packet)
        if result == .packet, packet.streamIndex != stream.streamIndex { continue }
        try decoder.send(result == .packet ? packet : nil)
      }
    }
  }

  private func verify(_ stream: AudioStream, number: Int) throws -> StreamVerification {
    let rate = stream.sampleRate
    let length =
      (try (stream.timeBase * stream.end - index.start))
      .seconds * Double(rate)
    let count = max(Int(length.rounded()), 0)
    var damaged: Set<Double> = []
    func reader() throws -> AudioReader {
      try AudioReader(
        source: source, named: name, stream: stream, origin: index.start, rate: rate, channels: 2,
        onDamage: .conceal
      ) { damaged.insert(Double($0.lowerBound) / Double(rate)) }
    }
    let blocks = stride(from: 0, to: count, by: rate).map { ($0, min(rate, count - $0)) }
    let forward = try reader()
    let linear = try blocks.map { try Self.digest(of: forward.read(from: Int64($0), count: $1)) }
    // A new reader starts at each of a limited number of evenly spread blocks, as a clip's reader would.
    let step = max(blocks.count / Self.soundStarts, 1)
    var differing: [Double] = []
    for place in stride(from: blocks.count - 1, through: 0, by: -step) {
      let (first, length) = blocks[place]
      if Self.digest(of: try reader().read(from: Int64(first), count: length)) != linear[place] {
        differing.append(Double(first) / Double(rate))
      }
    }
    return StreamVerification(
      kind: "audio", number: number, count: count, starts: 0, differing: differing.sorted(),
      damaged: damaged.sorted())
  }

  /// The number of places at which reading an audio stream starts.
  private static let soundStarts = 16

  private static func digest(of channels: [[Float]]) -> Int {
    var hasher = Hasher()
    for channel in channels {
      channel.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
    return hasher.finalize()
  }
}

extension Frame {
  /// A hash of the picture, stable within one process.
  fileprivate var contentDigest: Int {
    withUnsafePlanes { planes in
      var hasher = Hasher()
      // Packed formats have one plane as wide as the picture.
      let colours = planes.count == 1 && pixelFormat.isRGB && pixelFormat.name != "pal8"
      let samples = colours ? (pixelFormat.hasAlpha ? 4 : 3) : 1
      for plane in planes {
        let bytes = min(plane.width * samples * (pixelFormat.bitDepth > 8 ? 2 : 1), plane.stride)
        for row in 0..<plane.height {
          hasher.combine(
            bytes: UnsafeRawBufferPointer(start: plane.base + row * plane.stride, count: bytes))
        }
      }
      return hasher.finalize()
    }
  }
}
