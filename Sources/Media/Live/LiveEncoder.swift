import CFFmpeg
import Timeline

/// Encodes a stream of a live source that MP4 files cannot hold: pictures as H.264, and sound as AAC.
///
/// The video settings are the defaults of `MovieRecorder` in Apple's RosyWriter sample: a bit rate of 4.05 bits per second
/// times the number of pixels below 640 × 480 pixels, 10.1 otherwise, and a keyframe every 30 pictures. Sound has 128 kb/s.
/// Not thread-safe.
final class LiveEncoder {
  /// The time scale of the packets.
  struct Clock {
    /// Seconds per tick.
    let timeBase: RationalTime
    /// The number of ticks after which times wrap to zero.
    let period: Int64
  }

  private enum Work {
    case pictures(Pictures)
    case sound(Sound)
  }

  private final class Pictures {
    let decoder: VideoDecoder
    let scaler: Scaler
    let encoder: VideoEncoder
    /// The times of the pictures that are being encoded, by number, in seconds.
    var times: [Int64: RationalTime] = [:]
    var count: Int64 = 0

    init(decoder: VideoDecoder, scaler: Scaler, encoder: VideoEncoder) {
      (self.decoder, self.scaler, self.encoder) = (decoder, scaler, encoder)
    }
  }

  private final class Sound {
    let decoder: AudioDecoder
    let resampler: Resampler
    let encoder: AudioEncoder
    /// The time of sample 0 in seconds, shifted by every gap so far.
    var start: RationalTime?
    /// The number of samples that were sent to the encoder.
    var count: Int64 = 0

    init(decoder: AudioDecoder, resampler: Resampler, encoder: AudioEncoder) {
      (self.decoder, self.resampler, self.encoder) = (decoder, resampler, encoder)
    }
  }

  private static let bitsPerPixel = (small: 4.05, large: 10.1)
  /// The number of pixels at which a picture counts as large.
  private static let largePicture = 640 * 480
  private static let keyframeInterval = 30
  private static let soundRate = 128_000
  /// The maximum drift in seconds between the source's times and the sample count. More counts as a gap.
  private static let longestDrift = try? RationalTime(3, 100)

  private let stream: Demuxer.Stream
  private let clock: Clock
  private let work: Work
  /// The position of the last packet of the source.
  private var position: Int64 = -1

  /// Opens a decoder and an encoder.
  ///
  /// - Throws: ``MediaError`` if the stream cannot be decoded or encoded.
  init(_ stream: Demuxer.Stream, named name: String, clock: Clock) throws {
    self.stream = stream
    self.clock = clock
    let parameters = stream.parameters
    switch stream.mediaKind {
    case .video:
      guard let rate = stream.averageFrameRate, rate > .zero else {
        throw MediaError(.unsupportedFormat, "the frame rate is unknown", on: name)
      }
      let size = parameters.size
      let pixels = size.width * size.height
      let bits = pixels < Self.largePicture ? Self.bitsPerPixel.small : Self.bitsPerPixel.large
      let settings = VideoEncoderSettings(
        size: size, frameDuration: try RationalTime(1) / rate,
        rate: .bitRate(Int(Double(pixels) * bits)), preset: "veryfast",
        pixelAspectRatio: stream.pixelAspectRatio ?? RationalTime(1),
        keyframeInterval: Self.keyframeInterval, more: ["bf": "0"])
      work = .pictures(
        Pictures(
          decoder: try VideoDecoder(stream, named: name),
          scaler: Scaler(to: Scaler.Output(size: size, pixelFormat: settings.pixelFormat)),
          encoder: try VideoEncoder(settings)))
    case .audio:
      let rates = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
      let rate = rates.contains(parameters.sampleRate) ? parameters.sampleRate : 48_000
      let channels = [1, 2, 6].contains(parameters.channels) ? parameters.channels : 2
      work = .sound(
        Sound(
          decoder: try AudioDecoder(stream, named: name),
          resampler: try Resampler(rate: rate, channels: channels, named: name),
          encoder: try AudioEncoder(
            AudioEncoder.Settings(
              sampleRate: rate, channels: channels, bitRate: Self.soundRate))))
    case .other:
      throw MediaError(.unsupportedFormat, "it contains neither pictures nor sound", on: name)
    }
  }

  /// The codec parameters of the encoded packets.
  var parameters: StreamParameters {
    switch work {
    case .pictures(let pictures): pictures.encoder.parameters
    case .sound(let sound): sound.encoder.parameters
    }
  }

  /// Encodes a packet of the source, or the rest if it is `nil`. A damaged packet is left out.
  func encode(_ packet: Packet?) throws -> [Packet] {
    if let packet, packet.position >= 0 { position = packet.position }
    do {
      switch work {
      case .pictures(let pictures): return try encode(packet, by: pictures)
      case .sound(let sound): return try encode(packet, by: sound)
      }
    } catch let error as MediaError where error.code == .damaged {
      return []
    }
  }

  private func encode(_ packet: Packet?, by pictures: Pictures) throws -> [Packet] {
    var packets: [Packet] = []
    try pictures.decoder.send(packet)
    while case .frame(let frame) = try pictures.decoder.receive() {
      guard !frame.isCorrupt else { continue }
      pictures.times[pictures.count] = try stream.timeBase * frame.time
      try pictures.encoder.send(pictures.scaler.scale(frame), number: pictures.count)
      pictures.count += 1
      try receive(from: pictures, into: &packets)
    }
    guard packet == nil, pictures.count > 0 else { return packets }
    try pictures.encoder.send(nil)
    try receive(from: pictures, into: &packets)
    return packets
  }

  private func receive(from pictures: Pictures, into packets: inout [Packet]) throws {
    while true {
      let packet = try Packet()
      guard try pictures.encoder.receive(into: packet) == .packet else { return }
      // Without B-frames, pictures are decoded in the order in which they are presented.
      guard let time = packet.time.flatMap({ pictures.times.removeValue(forKey: $0) }) else {
        continue
      }
      try place(packet, at: time, lasting: pictures.encoder.timeBase)
      packets.append(packet)
    }
  }

  private func encode(_ packet: Packet?, by sound: Sound) throws -> [Packet] {
    var packets: [Packet] = []
    let tick = try sound.encoder.timeBase
    func take(_ encoded: Packet) throws {
      let packet = try Packet(sharing: encoded)
      let start = sound.start ?? .zero
      try place(
        packet, at: start + tick * (packet.time ?? 0), lasting: tick * max(packet.duration, 1))
      packets.append(packet)
    }
    try sound.decoder.send(packet)
    while case .frame(let frame) = try sound.decoder.receive() {
      guard !frame.isCorrupt else { continue }
      try follow(stream.timeBase * frame.time, sound, tick)
      // Encoders reject samples that are not numbers, which floating-point PCM may have.
      let samples = try sound.resampler.convert(frame).map { $0.map { $0.isFinite ? $0 : 0 } }
      sound.count += Int64(samples.first?.count ?? 0)
      try sound.encoder.encode(samples, take)
    }
    if packet == nil, sound.count > 0 {
      try sound.encoder.encode(try sound.resampler.flush(), take)
      try sound.encoder.finish(take)
    }
    return packets
  }

  /// Follows the times of the source across gaps.
  private func follow(_ time: RationalTime, _ sound: Sound, _ tick: RationalTime) throws {
    let start = try time - tick * sound.count
    guard let known = sound.start, let longest = Self.longestDrift else {
      sound.start = start
      return
    }
    let drift = try start - known
    if try max(drift, .zero - drift) > longest { sound.start = start }
  }

  private func place(
    _ packet: Packet, at time: RationalTime, lasting duration: RationalTime
  ) throws {
    var ticks = try time.ticks(of: clock.timeBase, rounding: .nearest) % clock.period
    if ticks < 0 { ticks += clock.period }
    packet.timeBase = clock.timeBase
    (packet.time, packet.decodingTime) = (ticks, ticks)
    packet.duration = try duration.ticks(of: clock.timeBase, rounding: .nearest)
    packet.pointer.pointee.stream_index = Int32(stream.index)
    packet.pointer.pointee.pos = position
  }
}
