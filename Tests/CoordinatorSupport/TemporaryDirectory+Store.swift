import Crypto
import Foundation
import Support
import Testing

/// The files of a coordinator whose data directory is `data` in this folder.
extension TemporaryDirectory {
  /// The path of the file with a digest in a store such as `chunks`.
  package func stored(_ digest: Digest, in store: String) -> String {
    path("data/\(store)/\(digest.description.prefix(2))/\(digest)")
  }

  /// The path of the only file in a store.
  package func onlyFile(in store: String) throws -> String {
    let root = path("data/\(store)")
    let files = try FileManager.default.subpathsOfDirectory(atPath: root).filter {
      $0.contains("/")
    }
    try #require(files.count == 1)
    return "\(root)/\(files[0])"
  }

  /// The names of the quarantined files.
  package func quarantined() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path("data/quarantine"))
  }
}
