import Crypto
import Foundation
import Preparation
import Support

extension TemporaryDirectory {
  /// A file in this folder as an asset for media processes. Writes its block digests next to it.
  func asset(_ name: String) throws -> AssetFile {
    let list = try BlockDigests.of(file: path(name))
    let blocks = path("\(name).blocks")
    try Data(list.stored).write(to: URL(fileURLWithPath: blocks))
    return AssetFile(path: path(name), blocks: BlockList(path: blocks, digest: list.digest))
  }
}
