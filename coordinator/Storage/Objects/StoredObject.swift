import Crypto
import Recording
import Timeline

/// The kinds of files that a coordinator stores. Each kind is in a folder with this name.
package enum ObjectKind: String, Hashable, Sendable, CaseIterable {
  case asset = "assets"
  /// The block digests of an asset, or of a file under a media root.
  case blocks = "blocks"
  case chunk = "chunks"
  /// The media index of an asset.
  case index = "indexes"
  /// A part of a finished mix that is kept for later jobs.
  case mix = "mixes"
  /// The finished file of a job.
  case output = "outputs"
  case plan = "plans"
  /// The text of a project.
  case project = "projects"
  /// A fragment, a header or a finished file of a recording.
  case recording = "recordings"

  /// One file of this kind, in messages.
  package var word: String {
    switch self {
    case .asset: "asset"
    case .blocks: "block digests"
    case .chunk: "chunk"
    case .index: "index"
    case .mix: "mix"
    case .output: "output"
    case .plan: "plan"
    case .project: "project"
    case .recording: "recording"
    }
  }
}

/// Names a file that a coordinator stores.
package struct StoredObject: Hashable, Sendable {
  package let kind: ObjectKind
  /// The name among those of its kind, with `/` after each folder.
  package let name: String

  package init(_ kind: ObjectKind, named name: String) {
    self.kind = kind
    self.name = name
  }

  /// Names the file of a digest, which is in one of 256 folders.
  package init(_ kind: ObjectKind, _ digest: Digest) {
    let hex = digest.description
    self.init(kind, named: "\(hex.prefix(2))/\(hex)")
  }

  /// The finished file of a job.
  package static func output(of job: String, _ type: FileType) -> StoredObject {
    StoredObject(.output, named: "\(job).\(type.rawValue)")
  }

  /// The header or a fragment of a part of a recording, by the name of its file.
  package static func recorded(
    _ fileName: String, inPart part: Int, ofRecording id: String
  ) -> StoredObject {
    StoredObject(.recording, named: "\(id)/\(RecordedPart.folderName(part))/\(fileName)")
  }

  /// A finished file of a recording, by its number from 0 on.
  package static func output(_ number: Int, ofRecording id: String) -> StoredObject {
    StoredObject(.recording, named: "\(id)/output-\(number).mp4")
  }

  /// The digest that the file is named after; `nil` if its name is something else.
  package var digest: Digest? { Digest(hex: name.split(separator: "/").last ?? "") }

  /// The name among all stored files.
  package var key: String { "\(kind.rawValue)/\(name)" }
}
