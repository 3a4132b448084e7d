import Media
import Planning
import Threads

/// Measures the peaks of a file's sound on a thread of its own, by decoding the packets that are written.
final class PacketMeter {
  /// A packet, and the samples of the file that it holds; those before the first one are not audible.
  private struct Piece: Sendable {
    let bytes: [UInt8]
    let samples: Range<Int64>
  }

  private let thread: ItemThread<Piece, Waveform?>

  /// Starts to measure sound of a length.
  ///
  /// - Throws: `MediaError` with code `outOfMemory` if no thread can be started, or if there is no decoder.
  init(_ parameters: StreamParameters, channels: Int, sampleCount: Int64) throws {
    let decoder = try FrameDecoder(parameters, channels: channels, named: "the copied sound")
    // Only the thread uses the decoder.
    nonisolated(unsafe) let owned = decoder
    let rate = parameters.sampleRate
    thread = try .start(named: "peaks", room: 256, for: "the sound") { next in
      var meter = PeakMeter(sampleCount: sampleCount, sampleRate: rate)
      while let piece = try next() { Self.measure(piece, with: owned, in: &meter) }
      return meter.finish()
    }
  }

  /// Measures the next packet, which has the samples in a range.
  func add(_ bytes: [UInt8], _ samples: Range<Int64>) throws {
    try thread.add(Piece(bytes: bytes, samples: samples))
  }

  /// The peaks of all packets. Call it once.
  func finish() throws -> Waveform? { try thread.finish() }

  /// Damaged sound counts as silence.
  private static func measure(
    _ piece: Piece, with decoder: FrameDecoder, in meter: inout PeakMeter
  ) {
    let block = try? decoder.decode(piece.bytes)
    let samples = piece.samples
    guard samples.upperBound > 0 else { return }
    let part = Int(max(-samples.lowerBound, 0))..<samples.count
    guard let block, block.first?.count == Int(PacketGrid.length) else {
      return meter.add([[Float](repeating: 0, count: part.count)])
    }
    meter.add(block.map { Array($0[part]) })
  }
}
