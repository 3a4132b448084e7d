import Rendering

/// `media assemble`: appends a job's chunks and finishes its file.
final class Assembling: ChildService {
  private var assembler: Assembler?

  func handle(_ request: AssemblyRequest) throws -> ChildAnswer {
    switch request {
    case .begin(let beginning):
      assembler = try Assembler(
        AssemblyFacts(
          frameCount: beginning.frameCount, frameDuration: beginning.frameDuration,
          renderSize: beginning.renderSize, fileType: beginning.fileType,
          optimizeForNetworkUse: beginning.optimizeForNetworkUse, audioPath: beginning.mix,
          outputPath: beginning.output))
    case .append(let chunk, let frameCount):
      try begun().append(chunk: chunk, expecting: frameCount)
    case .finish:
      try begun().finish()
    }
    return .done
  }

  private func begun() throws -> Assembler {
    guard let assembler else {
      throw AssemblyError(.invalidSettings, "the first request must be to begin")
    }
    return assembler
  }
}
