import CFFmpeg
import Timeline

/// The samples of an audio stream at its own rate, counted from the asset's time zero. Gaps are silent.
///
/// A sample's value depends on the file only, although some decoders carry state (noise substitution, dither) from
/// where they start. If the container's times count samples and its packets are equally long, the stream is decoded in
/// blocks of ``blockSeconds``, each by its own decoder with a run-in of ``runInSeconds``. Otherwise packet times are
/// rounded and only counting from the start is exact, so reading backwards decodes from the start again.
final class SampleReader {
  static let planarFloat = AV_SAMPLE_FMT_FLTP.rawValue
  /// Length of a block.
  static let blockSeconds: Int64 = 10
  /// The seconds of sound that are decoded and dropped before a block, which covers the overlap of AAC and the bit
  /// reservoir of MP3.
  static let runInSeconds = 0.5

  let rate: Int
  private let name: String
  private let stream: AudioStream
  private let channels: Int
  private let source: any ByteSource
  private var demuxer: Demuxer
  /// Whether nothing has been read through the demuxer.
  private var isFresh = true
  private let packet: Packet
  /// Positions, counted from the asset's time zero.
  private let clock: SampleClock
  /// Samples in a block; `nil` if the stream is one block.
  private let blockLength: Int64?
  private var decoding: Decoding?
  private let onDamage: DamagePolicy
  /// Called with the positions of damaged or missing sound that was made silent.
  private let noteConcealed: (Range<Int64>) -> Void

  /// A block that is being decoded.
  private struct Decoding {
    let block: Int64
    let decoder: AudioDecoder
    let resampler: Resampler
    var isDrained = false
    var endIsSent = false
    /// Whether the packet sent last is damaged, so that none of it is heard.
    var isPacketBroken = false
    /// The position from which there is only silence up to `ready`.
    var knownFrom: Int64
    /// The position that `ready` begins with.
    var readyStart: Int64
    /// Decoded samples not read yet, per channel.
    var ready: [[Float]]
    var isAnchored = false

    var readyEnd: Int64 { readyStart + Int64(ready[0].count) }
  }

  init(
    source: any ByteSource, named name: String, stream: AudioStream, origin: RationalTime,
    channels: Int, onDamage: DamagePolicy = .fail,
    noteConcealed: @escaping (Range<Int64>) -> Void = { _ in }
  ) throws {
    self.source = source
    self.name = name
    self.stream = stream
    self.channels = channels
    self.onDamage = onDamage
    self.noteConcealed = noteConcealed
    rate = stream.sampleRate
    demuxer = try Demuxer(source: source, named: name, for: .sound)
    guard stream.streamIndex < demuxer.streams.count else {
      throw MediaError(.noSuchStream, "there is no stream \(stream.streamIndex)", on: name)
    }
    demuxer.select(streams: [stream.streamIndex])
    packet = try Packet()
    clock = try SampleClock(stream: stream, origin: origin)
    blockLength = demuxer.countsSamples(of: stream) ? Self.blockSeconds * Int64(rate) : nil
  }

  /// The `count` samples from position `first` on, per channel.
  func read(from first: Int64, count: Int) throws -> [[Float]] {
    var result = Array(repeating: [Float](repeating: 0, count: count), count: channels)
    var position = max(first, clock.start)
    let end = min(first + Int64(count), clock.end)
    for range in stream.damage ?? [] where position < end {
      let (start, stop) = (try clock.position(of: range.start), try clock.position(of: range.end))
      try conceal((start..<max(start, stop)).clamped(to: position..<end))
    }
    while position < end {
      let block = blockLength.map { (position - clock.start) / $0 } ?? 0
      let blockEnd = blockLength.map { clock.start + (block + 1) * $0 } ?? end
      var current = try resume(block: block, at: position)
      decoding = nil
      try advance(&current, to: position)
      let available = min(end, blockEnd, current.readyEnd)
      if available > max(position, current.readyStart) {
        let from = max(position, current.readyStart)
        for channel in 0..<channels {
          let slice = current.ready[channel][
            Int(from - current.readyStart)..<Int(available - current.readyStart)]
          result[channel].replaceSubrange(
            Int(from - first)..<Int(available - first), with: slice)
        }
        position = available
      } else {
        // Nothing before `readyStart`, or nothing at all: silence.
        position = current.isDrained ? min(end, blockEnd) : min(end, blockEnd, current.readyStart)
      }
      decoding = current
    }
    return result
  }

  /// The current decoding of the block, or a new one from its beginning if `position` has been passed.
  private func resume(block: Int64, at position: Int64) throws -> Decoding {
    if let decoding, decoding.block == block, decoding.knownFrom <= position { return decoding }
    let start = clock.start + block * (blockLength ?? 0)
    if block > 0 {
      let runIn = Int64(Self.runInSeconds * Double(rate))
      try demuxer.seek(stream: stream.streamIndex, to: try clock.tick(of: start - runIn))
    } else if !isFresh {
      // The file is opened again, because not every format can seek to its very beginning.
      demuxer = try Demuxer(source: source, named: name, for: .sound)
      demuxer.select(streams: [stream.streamIndex])
    }
    isFresh = false
    return Decoding(
      block: block,
      decoder: try AudioDecoder(demuxer.streams[stream.streamIndex], named: name),
      resampler: try Resampler(rate: rate, channels: channels, named: name),
      knownFrom: start, readyStart: start, ready: Array(repeating: [], count: channels))
  }

  /// Decodes until samples at or after `position` are ready.
  private func advance(_ current: inout Decoding, to position: Int64) throws {
    while current.readyEnd <= position, !current.isDrained {
      switch try current.decoder.receive() {
      case .frame(let frame):
        if frame.isCorrupt { try concealPacket(from: position) }
        guard !current.isPacketBroken else { continue }
        try append(frame, to: &current, keepingFrom: position)
      case .endOfStream: current.isDrained = true
      case .needsInput:
        if current.endIsSent { current.isDrained = true } else { try sendPacket(to: &current) }
      }
      if current.decoder.takeBreak() {
        current.isPacketBroken = true
        try concealPacket(from: position)
      }
    }
  }

  /// Reports the last packet as damaged, if any of its samples are needed.
  private func concealPacket(from position: Int64) throws {
    guard let time = packet.time else { return }
    let start = try clock.position(of: time)
    let end = try clock.position(of: time + max(packet.duration, 1))
    guard end > position, start < clock.end else { return }
    try conceal(max(start, clock.start)..<max(end, start + 1))
  }

  /// Reports damage in a range of positions. Throws unless damage is concealed.
  private func conceal(_ range: Range<Int64>) throws {
    guard !range.isEmpty else { return }
    guard onDamage == .fail else { return noteConcealed(range) }
    let time = try RationalTime(range.lowerBound, Int64(rate)).threeDecimals
    throw MediaError(
      .soundDamaged, "the sound at \(time) s is damaged or missing", on: name,
      remedy: "copy the file again, or set export.onDamage to \"conceal\"")
  }

  private func append(
    _ frame: Frame, to current: inout Decoding, keepingFrom position: Int64
  ) throws {
    let samples = try current.resampler.convert(frame)
    let count = Int64(samples[0].count)
    var start = try clock.position(of: frame.time)
    if current.isAnchored, blockLength == nil, abs(start - current.readyEnd) <= clock.slack {
      start = current.readyEnd
    }
    current.isAnchored = true
    // Earlier samples have been read or skipped by now. Overlaps are dropped, and gaps stay silent.
    let from = max(start, min(max(current.readyEnd, position), start + count))
    current.ready = samples.map { Array($0[Int(from - start)...]) }
    current.readyStart = from
    current.knownFrom = min(position, from)
  }

  private func sendPacket(to current: inout Decoding) throws {
    while true {
      switch try next() {
      case .packet:
        guard packet.streamIndex == stream.streamIndex else { continue }
        current.isPacketBroken = false
        return try current.decoder.send(packet)
      case .endOfStream:
        current.endIsSent = true
        return try current.decoder.send(nil)
      }
    }
  }

  /// Reads the next packet. If damage is concealed, the stream ends where it becomes unreadable.
  private func next() throws -> Demuxer.ReadResult {
    do {
      return try demuxer.read(into: packet)
    } catch let error as MediaError where error.code == .damaged && onDamage == .conceal {
      return .endOfStream
    }
  }
}
