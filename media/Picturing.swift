import Confinement
import Crypto
import Foundation
import Media
import Preparation

/// The service `picture`, which makes a small JPEG of the first picture of a chunk.
struct Picturing: ChildService {
  func sandbox(for first: PictureRequest) -> Sandbox {
    Sandbox(limits: .picture, readable: first.readable, writable: [])
  }

  func handle(_ request: PictureRequest) throws -> ChildAnswer {
    let chunk: any ByteSource
    do {
      chunk = try ReferencingByteSource.whole(FileByteSource(path: request.path)) {
        try request.asset.open($0)
      }
    } catch is ReferenceTable.Malformed {
      throw MediaError(.damaged, "it refers to bytes that its asset does not have", on: "the chunk")
    }
    let frame = try FirstPicture.read(chunk, named: "the chunk")
    return .picture(Data(try JPEGPicture.encode(frame, widthLimit: request.widthLimit)))
  }
}
