import Media
import Recording
import Timeline

/// The current format of a stream of a live source.
struct LiveFormat {
  let stream: LiveDemuxer.Stream
  let kind: TrackKind
  /// Reads the format of pictures from their packets.
  let reader: PacketFormat?
  /// The parameter sets of video, or the configuration of AAC with ADTS headers.
  private(set) var sets: [UInt8] = []
  private(set) var size: PixelSize?
  /// Whether a packet was seen.
  private var hasPacket = false

  /// Describes a stream.
  ///
  /// - Throws: ``Refusal`` if it cannot be recorded.
  init(_ stream: LiveDemuxer.Stream) throws {
    self.stream = stream
    switch stream.mediaKind {
    case .video:
      kind = .video
      reader = try PacketFormat(stream.parameters)
    case .audio:
      kind = .audio
      reader = nil
      guard stream.parameters.sampleRate > 0 else {
        throw Refusal(reason: "its sample rate is unknown")
      }
    case .other: throw Refusal(reason: "it contains neither pictures nor sound")
    }
  }

  /// The reason why a stream is not recorded.
  struct Refusal: Error {
    let reason: String
  }

  /// Whether the stream is AAC whose frames have ADTS headers, which an MP4 file does not have.
  private var hasHeaders: Bool {
    stream.parameters.codec == "aac" && stream.parameters.parameterSets.isEmpty
  }

  /// Whether enough is known to begin a track.
  var isKnown: Bool {
    switch kind {
    case .video: reader?.hasParameterSets == false || !sets.isEmpty
    case .audio:
      (!hasHeaders || !sets.isEmpty)
        && (hasPacket || !FragmentMuxer.needsPacket(of: stream.parameters.codec))
    }
  }

  /// Whether decoding can start with a packet.
  func canStart(with packet: Packet) -> Bool {
    guard kind == .video else { return true }
    return packet.isKey
      && (reader?.hasParameterSets == false || reader?.parameterSets(in: packet) != nil)
  }

  /// Whether a packet has another format than those before it.
  func changes(with packet: Packet) -> Bool {
    guard let stated = statedSets(of: packet), !sets.isEmpty else { return false }
    return stated != sets
  }

  /// Updates the format if a packet states one.
  mutating func update(from packet: Packet) {
    hasPacket = true
    guard let stated = statedSets(of: packet) else { return }
    sets = stated
    size = reader?.size(of: packet)
  }

  private func statedSets(of packet: Packet) -> [UInt8]? {
    switch kind {
    case .video: return packet.isKey ? reader?.parameterSets(in: packet) : nil
    case .audio:
      guard hasHeaders else { return nil }
      return packet.withUnsafeBytes { ADTSHeader(of: $0)?.configuration }
    }
  }

  /// The bytes of a packet as an MP4 file stores them; `nil` if they are damaged.
  func bytes(of packet: Packet) -> [UInt8]? {
    // Decoders report a sample that contains only parameter sets or other information.
    guard reader?.hasPicture(in: packet) != false else { return nil }
    return packet.withUnsafeBytes { bytes in
      // A frame may be split between two packets of the elementary stream, of which the second may be lost.
      if ["mp2", "mp3"].contains(stream.parameters.codec), !MPEGAudioFrame.isWhole(bytes) {
        return nil
      }
      guard hasHeaders else { return Array(bytes) }
      return ADTSHeader(of: bytes).map { Array(bytes.dropFirst($0.byteCount)) }
    }
  }

  func track() throws -> RecordingTrack {
    let parameters = try StreamParameters(copying: stream.parameters)
    if !sets.isEmpty { try parameters.setParameterSets(sets) }
    if let size { parameters.setSize(size) }
    let timescale =
      kind == .audio ? Int64(parameters.sampleRate) : stream.timeBase.denominator
    return RecordingTrack(parameters, timescale: timescale)
  }

  var description: TrackFormat {
    let parameters = stream.parameters
    let size = size ?? parameters.size
    return TrackFormat(
      kind: kind, codec: parameters.codec, width: size.width, height: size.height,
      sampleRate: parameters.sampleRate, channels: parameters.channels)
  }
}
