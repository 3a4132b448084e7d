import Crypto
import Scheduling

/// The kinds of files that the search for damage reads, in its order.
enum ScrubKind: String, Hashable, Codable, Sendable, CaseIterable {
  /// The block digests of an asset. They come before the assets, because reading an asset silently replaces damaged
  /// ones.
  case blocks = "blocks"
  case asset = "asset"
  case chunk = "chunk"
  case output = "output"
  case project = "project"
  case plan = "plan"
  /// The media index of an asset.
  case index = "index"

  /// The stored files of this kind.
  var objects: ObjectKind {
    switch self {
    case .blocks: .blocks
    case .asset: .asset
    case .chunk: .chunk
    case .output: .output
    case .project: .project
    case .plan: .plan
    case .index: .index
    }
  }
}

/// A file that the search for damage reads.
struct ScrubSubject: Sendable {
  let kind: ScrubKind
  /// The digest that the file is named after; the SHA-256 that a finished file should have.
  let digest: Digest
  let byteCount: Int64
  /// The finished file and its job, if this is one.
  let output: (object: StoredObject, job: JobID)?
  /// Its position in a pass.
  let position: ScrubPosition

  init(_ kind: ScrubKind, _ file: StoredFile) {
    self.kind = kind
    digest = file.digest
    byteCount = file.byteCount
    output = nil
    position = ScrubPosition(kind: kind, name: "\(file.digest)")
  }

  /// A finished file; `nil` if the ledger does not know its SHA-256.
  init?(_ output: ExpectedFile) {
    guard let digest = output.digest, let job = output.job, case .stored(let object) = output.place
    else { return nil }
    kind = .output
    self.digest = digest
    byteCount = output.byteCount ?? 0
    self.output = (object, job)
    // Two jobs may have the same file.
    position = ScrubPosition(kind: kind, name: "\(digest) \(object.name)")
  }
}
