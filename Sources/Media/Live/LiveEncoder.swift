import CFFmpeg
import Timeline

/// Encodes a stream of a live source that MP4 files cannot hold: pictures as H.264, and sound as AAC.
///
/// The default video settings are those of `MovieRecorder` in Apple's RosyWriter sample: a bit rate of 4.05 bits per second
/// times the number of pixels below 640 × 480 pixels, 10.1 otherwise, and a keyframe every 30 pictures. Sound has 128 kb/s.
/// Pictures are encoded without delay. Interlaced pictures stay interlaced. If the size, the shape of the pixels or the order of the fields changes, another
/// encoder continues, whose first keyframe states the new format. Not thread-safe.
public final class LiveEncoder {
  /// An encoded packet.
  public struct Encoded {
    /// The packet.
    public let packet: Packet
    /// The arrival of the last packet of the source that it contains.
    public let arrival: Duration
    /// Whether packets of the source before it were left out. A picture is then a keyframe.
    public let followsGap: Bool
  }

  private enum Work {
    case pictures(Pictures)
    case sound(Sound)
  }

  private final class Pictures {
    let decoder: VideoDecoder
    var encoding: Encoding
    /// Whether packets were left out before the next picture.
    var followsGap = false
    /// The number of decoded pictures.
    var count = 0

    init(decoder: VideoDecoder, encoding: Encoding) {
      (self.decoder, self.encoding) = (decoder, encoding)
    }
  }

  /// The properties of pictures that can change in mid-stream, and then need another encoder.
  private struct Format: Hashable {
    var size: PixelSize
    var pixelAspectRatio: RationalTime
    var firstField: VideoSettings.Field?
  }

  /// A picture that is being encoded.
  private struct Place {
    /// When it is presented, in seconds.
    let time: RationalTime
    let arrival: Duration
    let followsGap: Bool
  }

  /// The encoder of pictures of one format.
  private final class Encoding {
    let format: Format
    let encoder: VideoEncoder
    private let scaler: Scaler
    /// Converts each field for itself; `nil` if pictures are progressive, or their height is no multiple of four.
    private let fields: FieldScaler?
    /// The pictures that are being encoded, by number.
    var places: [Int64: Place] = [:]
    var count: Int64 = 0

    init(_ format: Format, _ settings: VideoEncoderSettings) throws {
      self.format = format
      scaler = Scaler(to: Scaler.Output(size: settings.size, pixelFormat: settings.pixelFormat))
      fields = format.firstField == nil ? nil : FieldScaler(to: scaler.output)
      encoder = try VideoEncoder(settings)
    }

    /// A picture in the layout of the encoder.
    func convert(_ frame: Frame) throws -> Frame {
      try fields?.scale(frame) ?? scaler.scale(frame)
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
    /// The mean drift of the last packets, in seconds.
    var drift = 0.0
    /// The number of samples at which the drift may be corrected again.
    var nextCorrection: Int64 = 0

    init(decoder: AudioDecoder, resampler: Resampler, encoder: AudioEncoder) {
      (self.decoder, self.resampler, self.encoder) = (decoder, resampler, encoder)
    }
  }

  private static let bitsPerPixel = (small: 4.05, large: 10.1)
  /// The number of pixels at which a picture counts as large.
  private static let largePicture = 640 * 480
  /// The number of pictures per second that the encoder assumes if the source states none.
  private static let assumedRate = RationalTime(30)
  /// The supported sample rates of sources.
  private static let sampleRates = 1000...768_000
  /// More pictures per second are not credible: some formats state the rate of their clock instead.
  private static let highestRate = RationalTime(240)
  /// The maximum drift in seconds between the source's times and the sample count. More counts as a gap.
  private static let longestDrift = try? RationalTime(3, 100)
  /// The drift in seconds from which it is corrected, so that different clocks of a sound card and of the host never
  /// cause a gap. It is a mean of measurements; the times of samples stay exact.
  private static let correctedDrift = 0.005
  /// The weight of a packet in the mean drift. Single times may be wrong by some milliseconds.
  private static let driftWeight = 1.0 / 32
  /// The seconds over which a correction is spread, and the most that it changes the rate.
  private static let correction = (length: 10.0, largestChange: 0.001)

  /// The stream as it is encoded.
  public let stream: LiveDemuxer.Stream
  private let source: LiveDemuxer.Stream
  private let settings: Settings
  /// The number of ticks of the packets' times after which they wrap to zero.
  private let period: Int64
  private let work: Work
  /// The number of packets that could not be decoded correctly.
  private var damage = 0

  /// Opens a decoder and an encoder.
  ///
  /// - Parameters:
  ///   - clock: the unit of the times of the encoded packets.
  ///   - name: the source's name in errors.
  /// - Throws: ``MediaError`` if the stream cannot be decoded or encoded.
  public init(
    _ source: LiveDemuxer.Stream, clock: LiveClock, named name: String,
    settings: Settings = Settings()
  ) throws {
    self.source = source
    self.settings = settings
    period = 1 << Int64(clock.bits)
    let description = Demuxer.Stream(
      index: source.index, mediaKind: source.mediaKind, timeBase: source.timeBase,
      parameters: source.parameters, averageFrameRate: source.averageFrameRate,
      pixelAspectRatio: source.pixelAspectRatio, displayMatrix: nil, hdr: nil, dolbyVision: nil)
    let parameters: StreamParameters
    switch source.mediaKind {
    case .video:
      let encoding = try Self.encoding(
        Format(
          size: source.parameters.size,
          pixelAspectRatio: source.pixelAspectRatio ?? RationalTime(1),
          firstField: source.parameters.firstField),
        of: source, settings)
      work = .pictures(
        Pictures(decoder: try VideoDecoder(description, named: name), encoding: encoding))
      parameters = encoding.encoder.parameters
    case .audio:
      let sound = try Self.sound(description, named: name, settings)
      work = .sound(sound)
      parameters = sound.encoder.parameters
    case .other:
      throw MediaError(.unsupportedFormat, "it contains neither pictures nor sound", on: name)
    }
    stream = LiveDemuxer.Stream(
      index: source.index, identifier: source.identifier, mediaKind: source.mediaKind,
      timeBase: try RationalTime(1, clock.ticksPerSecond), parameters: parameters,
      averageFrameRate: source.averageFrameRate, pixelAspectRatio: source.pixelAspectRatio)
  }

  private static func encoding(
    _ format: Format, of source: LiveDemuxer.Stream, _ settings: Settings
  ) throws -> Encoding {
    let pixels = format.size.width * format.size.height
    let bits = pixels < largePicture ? bitsPerPixel.small : bitsPerPixel.large
    var color = source.parameters.color
    // The scaler converts full range and RGB.
    color.range = "tv"
    if color.matrix == "gbr" { color.matrix = Scaler.assumedMatrix(height: format.size.height) }
    var encoder = VideoEncoderSettings(
      size: format.size,
      frameDuration: try RationalTime(1) / rate(of: source),
      rate: .bitRate(settings.videoBitRate ?? Int(Double(pixels) * bits)), preset: "veryfast",
      tune: "zerolatency", pixelAspectRatio: format.pixelAspectRatio, color: color,
      keyframeInterval: settings.keyframeInterval, more: ["sc_threshold": "0"],
      threads: settings.threads)
    encoder.firstField = format.firstField
    return try Encoding(format, encoder)
  }

  /// The number of pictures per second to expect.
  private static func rate(of source: LiveDemuxer.Stream) -> RationalTime {
    guard let stated = source.averageFrameRate, stated > .zero, stated <= highestRate else {
      return assumedRate
    }
    return stated
  }

  private static func sound(
    _ stream: Demuxer.Stream, named name: String, _ settings: Settings
  ) throws -> Sound {
    let rates = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
    let parameters = stream.parameters
    guard sampleRates.contains(parameters.sampleRate) else {
      throw MediaError(
        .unsupportedFormat,
        parameters.sampleRate > 0
          ? "its sample rate of \(parameters.sampleRate) Hz is not supported"
          : "its sample rate is unknown", on: name)
    }
    let rate = rates.contains(parameters.sampleRate) ? parameters.sampleRate : 48_000
    let channels = [1, 2, 6].contains(parameters.channels) ? parameters.channels : 2
    return Sound(
      decoder: try AudioDecoder(stream, named: name),
      resampler: try Resampler(rate: rate, channels: channels, named: name),
      encoder: try AudioEncoder(
        AudioEncoder.Settings(
          sampleRate: rate, channels: channels, bitRate: settings.audioBitRate)))
  }

  /// Returns and clears the number of packets that could not be decoded correctly, and were left out.
  public func takeDamage() -> Int {
    defer { damage = 0 }
    return damage
  }

  /// Encodes a packet of the source, or the rest if it is `nil`. What cannot be decoded correctly is left out.
  ///
  /// - Parameters:
  ///   - arrival: when the packet arrived.
  ///   - followsGap: whether packets before it were left out. The first picture that is decoded after that becomes a
  ///     keyframe.
  ///   - packets: the encoded packets are added to it, also those before a failure.
  public func encode(
    _ packet: Packet?, arrivingAt arrival: Duration, followsGap: Bool = false,
    into packets: inout [Encoded]
  ) throws {
    switch work {
    case .pictures(let pictures):
      if followsGap { pictures.followsGap = true }
      try encode(packet, arrivingAt: arrival, by: pictures, into: &packets)
    case .sound(let sound):
      try encode(packet, arrivingAt: arrival, by: sound, into: &packets)
    }
  }

  /// Runs the part of the work that decodes, and notes if a packet is damaged.
  ///
  /// - Returns: `nil` if it is.
  @discardableResult private func noting<Value>(_ body: () throws -> Value) throws -> Value? {
    do {
      return try body()
    } catch let error as MediaError where error.code == .damaged {
      noteDamage()
      return nil
    }
  }

  private func noteDamage() {
    damage += 1
    if case .pictures(let pictures) = work { pictures.followsGap = true }
  }

  private func encode(
    _ packet: Packet?, arrivingAt arrival: Duration, by pictures: Pictures,
    into packets: inout [Encoded]
  ) throws {
    let known = (damage, pictures.count)
    try noting { try pictures.decoder.send(packet) }
    while case .frame(let frame)? = try noting({ try pictures.decoder.receive() }) {
      guard !frame.isCorrupt else {
        noteDamage()
        continue
      }
      try follow(frame, by: pictures, into: &packets)
      let encoding = pictures.encoding
      encoding.places[encoding.count] = Place(
        time: try source.timeBase * frame.time, arrival: arrival,
        followsGap: pictures.followsGap)
      try encoding.encoder.send(
        encoding.convert(frame), number: encoding.count, asKeyframe: pictures.followsGap)
      pictures.followsGap = false
      pictures.count += 1
      encoding.count += 1
      try receive(from: encoding, into: &packets)
    }
    // Some decoders ignore a picture of which too much is missing.
    if packet != nil, pictures.decoder.isIntraOnly, known == (damage, pictures.count) {
      noteDamage()
    }
    if packet == nil { try finish(pictures.encoding, into: &packets) }
  }

  /// Opens another encoder if a picture has another format than the one before it.
  private func follow(
    _ frame: Frame, by pictures: Pictures, into packets: inout [Encoded]
  ) throws {
    let known = pictures.encoding.format
    let format = Format(
      size: PixelSize(width: frame.width, height: frame.height),
      pixelAspectRatio: frame.pixelAspectRatio ?? known.pixelAspectRatio,
      // Single progressive pictures in an interlaced stream are coded like the others.
      firstField: frame.firstField ?? known.firstField)
    guard format != known else { return }
    try finish(pictures.encoding, into: &packets)
    pictures.encoding = try Self.encoding(format, of: source, settings)
  }

  private func finish(_ encoding: Encoding, into packets: inout [Encoded]) throws {
    guard encoding.count > 0 else { return }
    try encoding.encoder.send(nil)
    try receive(from: encoding, into: &packets)
  }

  private func receive(from encoding: Encoding, into packets: inout [Encoded]) throws {
    while true {
      let packet = try Packet()
      guard try encoding.encoder.receive(into: packet) == .packet else { return }
      // Without B-frames, pictures are decoded in the order in which they are presented.
      guard let place = packet.time.flatMap({ encoding.places.removeValue(forKey: $0) }) else {
        continue
      }
      try self.place(packet, at: place.time, lasting: encoding.encoder.timeBase)
      packets.append(
        Encoded(packet: packet, arrival: place.arrival, followsGap: place.followsGap))
    }
  }

  private func encode(
    _ packet: Packet?, arrivingAt arrival: Duration, by sound: Sound,
    into packets: inout [Encoded]
  ) throws {
    let tick = try sound.encoder.timeBase
    func take(_ encoded: Packet) throws {
      let packet = try Packet(sharing: encoded)
      let start = sound.start ?? .zero
      try place(
        packet, at: start + tick * (packet.time ?? 0), lasting: tick * max(packet.duration, 1))
      packets.append(Encoded(packet: packet, arrival: arrival, followsGap: false))
    }
    try noting { try sound.decoder.send(packet) }
    while case .frame(let frame)? = try noting({ try sound.decoder.receive() }) {
      guard !frame.isCorrupt else {
        noteDamage()
        continue
      }
      try follow(source.timeBase * frame.time, sound, tick)
      // Encoders reject samples that are not numbers, which floating-point PCM may have.
      let samples = try sound.resampler.convert(frame).map { $0.map { $0.isFinite ? $0 : 0 } }
      sound.count += Int64(samples.first?.count ?? 0)
      try sound.encoder.encode(samples, take)
    }
    if packet == nil, sound.count > 0 {
      try sound.encoder.encode(try sound.resampler.flush(), take)
      try sound.encoder.finish(take)
    }
  }

  /// Follows the times of the source across gaps.
  private func follow(_ time: RationalTime, _ sound: Sound, _ tick: RationalTime) throws {
    let start = try time - tick * sound.count
    guard let known = sound.start, let longest = Self.longestDrift else {
      sound.start = start
      return
    }
    let drift = try start - known
    if try max(drift, .zero - drift) > longest {
      sound.start = start
      sound.drift = 0
      return
    }
    sound.drift += (drift.seconds - sound.drift) * Self.driftWeight
    guard abs(sound.drift) > Self.correctedDrift, sound.count >= sound.nextCorrection else {
      return
    }
    let rate = Double(sound.resampler.rate)
    let (length, largestChange) = Self.correction
    let missing = max(-length * largestChange, min(sound.drift, length * largestChange)) * rate
    try sound.resampler.compensate(by: Int(missing), over: Int(length * rate))
    sound.nextCorrection = sound.count + Int64(length * rate)
  }

  private func place(
    _ packet: Packet, at time: RationalTime, lasting duration: RationalTime
  ) throws {
    var ticks = try time.ticks(of: stream.timeBase, rounding: .nearest) % period
    if ticks < 0 { ticks += period }
    packet.timeBase = stream.timeBase
    (packet.time, packet.decodingTime) = (ticks, ticks)
    packet.duration = try duration.ticks(of: stream.timeBase, rounding: .nearest)
    packet.pointer.pointee.stream_index = Int32(stream.index)
    packet.pointer.pointee.pos = -1
  }
}
