import CLinux
import Confinement
import Crypto
import Media
import Planning
import Preparation
import Rendering

/// The service `assemble`, which appends a job's chunks and finishes its file.
final class Assembling: ChildService {
  private var assembler: Assembler?

  func sandbox(for first: AssemblyRequest) -> Sandbox {
    guard case .begin(let beginning) = first else { return Sandbox(limits: .assemble) }
    let sound: [String] =
      switch beginning.sound {
      case .mix(let mix): mix.paths
      case .parts(let folder, _): [folder]
      case nil: []
      }
    return Sandbox(
      limits: .assemble,
      readable: [beginning.plan.path, beginning.chunks] + sound
        + beginning.assets.flatMap(\.file.paths),
      writable: [beginning.output.directory])
  }

  func handle(_ request: AssemblyRequest) throws -> ChildAnswer {
    switch request {
    case .begin(let beginning):
      // Each chunk is read into the memory of the one before.
      sheaf_keep_free_memory()
      var facts = AssemblyFacts(
        try beginning.plan.decode(Plan.self), audioPath: nil, outputPath: beginning.output,
        isDurable: beginning.isDurable)
      switch beginning.sound {
      case .mix(let mix):
        facts.audioPath = mix.path
        facts.audioBlocks = try mix.blocks?.read(for: "the mix")
      case .parts(let folder, let first):
        facts.soundParts = AssemblyFacts.SoundParts(folder: folder, first: first)
      case nil: break
      }
      let listed = Dictionary(beginning.assets.map { ($0.digest, $0) }) { first, _ in first }
      let files = RereadAssets(
        Dictionary(listed.values.map { ($0.digest.description, $0.file) }) { first, _ in first })
      assembler = try Assembler(facts) { digest in
        guard let asset = listed[digest] else { return try ReferencingByteSource.noFile(digest) }
        return try files.open(digest, named: asset.name)
      }
    case .add(let parts):
      for part in parts { try begun().add(part) }
    case .append(let chunk, let sha256, let frameCount):
      return .chunk(try append(chunk, sha256, frameCount, to: begun()))
    case .finish:
      return .assembled(try begun().finish())
    }
    return .done
  }

  private func append(
    _ chunk: String, _ sha256: Digest, _ frameCount: Int, to assembler: Assembler
  ) throws -> ChunkOutcome {
    do {
      try assembler.append(chunk: chunk, sha256: sha256, expecting: frameCount)
      return .appended(isFull: assembler.isFull)
    } catch let error as AssemblyError {
      switch error.code {
      case .badChunk: return .bad(error.message)
      case .damagedChunk: return .damaged(error.message)
      case .readFailed: return .unreadable(error.message)
      case .unwritableChunk: return .unwritable(error.message)
      default: throw error
      }
    }
  }

  private func begun() throws -> Assembler {
    guard let assembler else {
      throw AssemblyError(.invalidSettings, "the first request must be `begin`")
    }
    return assembler
  }
}
