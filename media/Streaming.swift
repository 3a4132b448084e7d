import Confinement
import Crypto
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
    Sandbox(limits: .stream, readable: first.readable)
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
    let piece =
      try request.interim.map { try self.piece(facts, $0, of: request) }
      ?? StreamedPiece(facts, number: request.number) { try request.asset.open($0) }
    try file.write(
      contentsOf: request.isHeader
        ? piece.makeHeader(from: request.chunk, hasPictures: request.hasPictures)
        : piece.make(request.frames, of: request.chunk, hasPictures: request.hasPictures))
    return .done
  }

  /// A piece with the sound of an interim mix.
  private func piece(
    _ facts: AssemblyFacts, _ interim: StreamRequest.Interim, of request: StreamRequest
  ) throws -> StreamedPiece {
    var mix = try interim.mix.decode(MixDescription.self)
    // A header does not depend on what is heard.
    if request.isHeader { (mix.inputs, mix.ducking) = ([], nil) }
    return try StreamedPiece(facts, number: request.number, interimMix: mix) { source in
      guard let file = interim.files[source.asset.description] else {
        throw MediaError(.readFailed, "the asset is not in the request", on: source.name)
      }
      return try file.open(named: source.name)
    } openingShown: {
      try request.asset.open($0)
    }
  }
}
