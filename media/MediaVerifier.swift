import Media
import Planning
import Timeline

/// Decodes every stream of an asset from its start and from every keyframe, and compares the results.
struct MediaVerifier {
  let source: any ByteSource
  let name: String
  let index: MediaIndex

  /// Returns the results for each stream.
  func verify() throws -> [StreamVerification] {
    var results: [StreamVerification] = []
    for (number, stream) in index.video.enumerated() {
      results.append(
        try stream.unreadable.map {
          StreamVerification.unreadable(
            $0, kind: "video", number: number, count: stream.frames.times.count)
        } ?? verify(stream, number: number))
    }
    for (number, stream) in index.audio.enumerated() {
      results.append(
        try stream.unreadable.map {
          StreamVerification.unreadable(
            $0, kind: "audio", number: number, count: try sampleCount(of: stream))
        } ?? verify(stream, number: number))
    }
    return results
  }

  private func verify(_ stream: VideoStream, number: Int) throws -> StreamVerification {
    let linear = try linearDigests(of: stream)
    var damaged: Set<Int64> = []
    let reader = try FrameReader(
      source: source, named: name, stream: stream, deinterlaces: false, onDamage: .conceal
    ) { damaged.insert($0) }
    var differing: Set<Int64> = []
    var compared = 0
    // Reads as a render does, which leaves out pictures on the way to a frame.
    let jumping = try FrameReader(
      source: source, named: name, stream: stream, deinterlaces: false)
    // In reverse order, each part forces a new seek.
    for part in partsFromEnd(of: stream) {
      if let time = part.last, let expected = linear[time],
        let frame = try? jumping.frame(at: time), frame.contentDigest != expected
      {
        differing.insert(time)
      }
      for time in part {
        do {
          let digest = try reader.frame(at: time).contentDigest
          guard !damaged.contains(time), let expected = linear[time] else { continue }
          compared += 1
          if digest != expected { differing.insert(time) }
        } catch let error as MediaError where error.code == .frameMissing {
          damaged.insert(time)
        }
      }
    }
    func places(_ ticks: some Sequence<Int64>) -> [StreamVerification.Place] {
      ticks.sorted().map {
        StreamVerification.Place(
          number: stream.frames.frame(at: $0),
          seconds: Double($0) * stream.timeBase.seconds - index.start.seconds)
      }
    }
    return StreamVerification(
      kind: "video", number: number, count: stream.frames.times.count,
      starts: stream.frames.starts.count, compared: compared, differing: places(differing),
      damaged: places(damaged))
  }

  /// The times of a stream's frames, split at each keyframe at which decoding can start, the last part first. A stream
  /// without any is split in the middle, so that its reader has to return to the start.
  private func partsFromEnd(of stream: VideoStream) -> [ArraySlice<Int64>] {
    let times = stream.frames.times
    let starts = stream.frames.starts
    guard !starts.isEmpty else {
      return [times[(times.count / 2)...], times.prefix(times.count / 2)]
    }
    var parts: [ArraySlice<Int64>] = []
    var rest = times[...]
    for keyframe in starts.reversed() {
      // An hour of intra-only video has 90,000 parts: each search begins at the end.
      let first = rest.lastIndex { $0 < keyframe.time }.map { $0 + 1 } ?? rest.startIndex
      parts.append(rest[first...])
      rest = rest[..<first]
    }
    parts.append(rest)
    return parts
  }

  /// The digests of a stream's frames by time, read in order from the start.
  ///
  /// The packets of some streams do not carry their frames' times, and a still image has one frame that is shown at any
  /// time. A reader that has not seeked says which frame is which.
  private func digestsInOrder(of stream: VideoStream) throws -> [Int64: Int] {
    let reader = try FrameReader(
      source: source, named: name, stream: stream, deinterlaces: false, onDamage: .conceal)
    var digests: [Int64: Int] = [:]
    for time in stream.frames.times {
      do {
        digests[time] = try reader.frame(at: time).contentDigest
      } catch let error as MediaError where error.code == .frameMissing {
        continue
      }
    }
    return digests
  }

  /// The digests of all frames that decoding from the start yields, by time.
  private func linearDigests(of stream: VideoStream) throws -> [Int64: Int] {
    guard !stream.frames.keyframes.isEmpty, !index.isStillImage else {
      return try digestsInOrder(of: stream)
    }
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
        let result = try next(of: demuxer, into: packet)
        if result == .packet, packet.streamIndex != stream.streamIndex { continue }
        try decoder.send(result == .packet ? packet : nil)
      }
    }
  }

  /// Reads the next packet. The stream ends where it becomes unreadable.
  private func next(of demuxer: Demuxer, into packet: Packet) throws -> Demuxer.ReadResult {
    do {
      return try demuxer.read(into: packet)
    } catch let error as MediaError where error.code == .damaged {
      return .endOfStream
    }
  }

  private func verify(_ stream: AudioStream, number: Int) throws -> StreamVerification {
    let rate = stream.sampleRate
    let count = try sampleCount(of: stream)
    var damaged: Set<Int64> = []
    func reader() throws -> AudioReader {
      try AudioReader(
        source: source, named: name, stream: stream, origin: index.start, rate: rate, channels: 2,
        onDamage: .conceal
      ) { damaged.insert($0.lowerBound) }
    }
    let blocks = stride(from: 0, to: count, by: rate).map { ($0, min(rate, count - $0)) }
    let forward = try reader()
    let linear = try blocks.map { try Self.digest(of: forward.read(from: Int64($0), count: $1)) }
    // A new reader starts at each of a limited number of evenly spread blocks, as a clip's reader would.
    let step = max(blocks.count / Self.soundStarts, 1)
    var differing: [Int64] = []
    var compared = 0
    for place in stride(from: blocks.count - 1, through: 0, by: -step) {
      let (first, length) = blocks[place]
      compared += 1
      if Self.digest(of: try reader().read(from: Int64(first), count: length)) != linear[place] {
        differing.append(Int64(first))
      }
    }
    func places(_ samples: some Sequence<Int64>) -> [StreamVerification.Place] {
      samples.sorted().map {
        StreamVerification.Place(number: Int($0), seconds: Double($0) / Double(rate))
      }
    }
    return StreamVerification(
      kind: "audio", number: number, count: count, starts: 0, compared: compared,
      differing: places(differing), damaged: places(damaged))
  }

  /// The number of samples from the asset's start to the stream's end.
  private func sampleCount(of stream: AudioStream) throws -> Int {
    let length = try (stream.timeBase * stream.end - index.start).seconds
    return max(Int((length * Double(stream.sampleRate)).rounded()), 0)
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
      let colors = planes.count == 1 && pixelFormat.isRGB && pixelFormat.name != "pal8"
      let samples = colors ? (pixelFormat.hasAlpha ? 4 : 3) : 1
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
