import Confinement
import FarmAPI
import Foundation
import Media
import Planning
import Preparation
import Rendering

/// The service `stream`, which writes one piece of a job's stream to a descriptor that its parent passes.
final class Streaming: ChildService {
  private var file: FileHandle?

  func sandbox(for first: StreamRequest) -> Sandbox {
    Sandbox(
      limits: .stream,
      readable: [first.plan.path, first.chunk.path] + (first.mix?.paths ?? []))
  }

  func take(_ descriptor: Int32) {
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  func handle(_ request: StreamRequest) throws -> ChildAnswer {
    guard let file else {
      throw MediaError(.invalidSettings, "the request must pass a descriptor", on: "the stream")
    }
    let facts = try AssemblyFacts(
      request.plan.decode(Plan.self), audioPath: request.mix?.path,
      audioBlocks: request.mix?.blocks?.read(for: "the mix"), outputPath: "")
    let piece = try StreamedPiece(facts)
    try file.write(
      contentsOf: request.isHeader
        ? piece.makeHeader(from: request.chunk, hasPictures: request.hasPictures)
        : piece.make(request.frames, of: request.chunk, hasPictures: request.hasPictures))
    return .done
  }
}
