import Foundation
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

  /// The packets, and `nil` at their end.
  private let pieces = BoundedQueue<Piece?>(capacity: 256)
  private let result = BoundedQueue<Waveform?>(capacity: 1)

  /// Starts to measure sound of a length.
  ///
  /// - Throws: `MediaError` with code `outOfMemory` if no thread can be started, or if there is no decoder.
  init(_ parameters: StreamParameters, channels: Int, sampleCount: Int64) throws {
    let decoder = try FrameDecoder(parameters, channels: channels, named: "the copied sound")
    // Only the thread uses the decoder.
    nonisolated(unsafe) let owned = decoder
    let rate = parameters.sampleRate
    let isStarted = BlockingThread.startNow(named: "peaks") { [pieces, result] in
      var meter = PeakMeter(sampleCount: sampleCount, sampleRate: rate)
      defer { pieces.close() }
      while case .some(.some(let piece)) = pieces.take() {
        Self.measure(piece, with: owned, in: &meter)
      }
      _ = result.put(meter.finish())
    }
    guard isStarted else {
      throw MediaError(
        .outOfMemory, "cannot start a thread: \(String(cString: strerror(errno)))",
        on: "the sound", remedy: "raise the coordinator's limits on memory and processes")
    }
  }

  deinit { pieces.close() }

  /// Measures the next packet, which has the samples in a range.
  func add(_ bytes: [UInt8], _ samples: Range<Int64>) {
    _ = pieces.put(Piece(bytes: bytes, samples: samples))
  }

  /// The peaks of all packets. Call it once.
  func finish() -> Waveform? {
    _ = pieces.put(nil)
    return result.take() ?? nil
  }

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
