import Crypto
import Foundation
import Preparation
import Support

extension TemporaryDirectory {
  /// A file here with its block digests beside it, as media processes are given assets.
  func asset(_ name: String) throws -> AssetFile {
    let list = try BlockDigests.of(file: path(name))
    let blocks = path("\(name).blocks")
    try Data(list.stored).write(to: URL(fileURLWithPath: blocks))
    return AssetFile(path: path(name), blocks: BlockList(path: blocks, digest: list.digest))
  }
}
