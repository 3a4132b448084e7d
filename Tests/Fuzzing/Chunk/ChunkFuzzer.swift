import Foundation
import Rendering
import Support
import Timeline
import sheaf_coordinator

/// Processes a chunk like one from a worker: checks its parameter sets, and assembles a file from it.
///
/// The first byte selects the expected kind of chunk, and the rest is the chunk.
struct ChunkFuzzer: Sendable {
  /// The folder of the files, which is in memory if the system has such a folder.
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory(in: "/dev/shm")
  }

  private static let codecs: [VideoSettings.Codec] = [.h264, .hevc, .av1, .vp9, .prores]
  /// The properties of every chunk in the corpus.
  private static let frameCount = 6

  /// Rejects the chunk with an error for that, or assembles a file from it. Anything else ends the process.
  func run(_ bytes: UnsafeRawBufferPointer) {
    guard let kind = bytes.first else { return }
    let chunk = Data(bytes.dropFirst())
    let codec = Self.codecs[Int(kind & 7) % Self.codecs.count]
    _ = ParameterSetCheck.areValid(chunk, of: codec)
    let path = folder.path("chunk")
    do {
      try chunk.write(to: URL(fileURLWithPath: path))
      try assemble(path, facts(codec, kind))
    } catch let error as AssemblyError {
      precondition(
        [.badChunk, .unwritableChunk, .invalidSettings].contains(error.code), "\(error)")
    } catch {
      // The error must name the segment to render again.
      preconditionFailure("not an error that blames the chunk: \(error)")
    }
  }

  /// Uses the chunk for each of two segments.
  private func assemble(_ path: String, _ facts: AssemblyFacts) throws {
    let assembler = try Assembler(facts)
    for _ in 0..<2 where !assembler.isFull {
      try assembler.append(chunk: path, expecting: Self.frameCount)
    }
    try assembler.finish()
  }

  /// The facts of a job of two segments.
  private func facts(_ codec: VideoSettings.Codec, _ kind: UInt8) throws -> AssemblyFacts {
    let fileType: FileType = kind & 8 != 0 ? .mkv : codec == .prores ? .mov : .mp4
    return AssemblyFacts(
      frameCount: 2 * Self.frameCount, frameDuration: try RationalTime(1, 10),
      renderSize: PixelSize(width: 64, height: 64), codec: codec, fileType: fileType,
      optimizeForNetworkUse: kind & 16 == 0, fileLengthLimit: kind & 32 != 0 ? 65_536 : nil,
      audioPath: nil, outputPath: folder.path("output"))
  }

  static let shared: ChunkFuzzer = {
    do { return try ChunkFuzzer() } catch { preconditionFailure("\(error)") }
  }()
}

/// The entry point that libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func fuzzChunk(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int32 {
  ChunkFuzzer.shared.run(UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}
