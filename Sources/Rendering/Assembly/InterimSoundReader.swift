import Media
import Planning
import Timeline

/// Makes the packets of an interim mix in a range of time.
///
/// The packets of all pieces lie on one grid, and follow each other like those of one encoder: an encoder for each piece
/// begins some packets earlier (see ``StretchEncoder/lead``). So pieces can be made in any order, and have the same bytes
/// each time.
struct InterimSoundReader: PieceSound {
  let parameters: StreamParameters
  let timeBase: RationalTime
  private let mix: MixDescription
  private let settings: AudioEncoder.Settings
  private let open: (AudioSource) throws -> any ByteSource
  private let grid = PacketGrid(of: 0)
  /// The number of the mix's samples that are heard.
  private let sampleCount: Int64

  /// The number of the first packet, which contains the encoder's delay.
  private static let firstPacket = -1

  /// Prepares the packets of a mix in AAC.
  ///
  /// - Parameter open: opens an asset.
  init(_ mix: MixDescription, open: @escaping (AudioSource) throws -> any ByteSource) throws {
    self.mix = mix
    self.open = open
    settings = AudioEncoder.Settings(mix.settings)
    parameters = try AudioEncoder(settings).parameters
    timeBase = try RationalTime(1, Int64(settings.sampleRate))
    sampleCount = max(0, mix.sampleCount - (mix.skippedSamples ?? 0))
  }

  func forEachPacket(
    from start: RationalTime?, before end: RationalTime?, _ body: (Packet) throws -> Bool
  ) throws {
    let first =
      try start.map { grid.packet(from: try $0.ticks(of: timeBase, rounding: .up)) }
      ?? Self.firstPacket
    var last = grid.packet(holding: sampleCount - 1)
    if let end {
      last = min(last, grid.packet(from: try end.ticks(of: timeBase, rounding: .up)) - 1)
    }
    guard first <= last else { return }
    let heard = try mix.interimReach.samples(from: start, before: end)
    let mixer = try AudioMixer(mix: mix.restricted(to: heard), open: open)
    let sound = try mixer.samples(from: grid.start(of: first - StretchEncoder.lead))
    let encoder = try StretchEncoder(settings, from: first) { _ in
      try sound.read(Int(PacketGrid.length))
    }
    for number in first...last {
      let packet = try Packet(bytes: try encoder.packet(number))
      let start = grid.start(of: number)
      packet.timeBase = timeBase
      (packet.time, packet.decodingTime) = (start, start)
      packet.duration = min(start + PacketGrid.length, sampleCount) - start
      packet.isKey = true
      guard try body(packet) else { return }
      encoder.forget(before: number)
    }
  }
}
