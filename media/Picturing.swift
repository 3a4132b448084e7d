import Confinement
import Foundation
import Media
import Preparation

/// The service `picture`, which makes a small JPEG of the first picture of a chunk.
struct Picturing: ChildService {
  func sandbox(for first: PictureRequest) -> Sandbox {
    Sandbox(limits: .picture, readable: first.readable, writable: [])
  }

  func handle(_ request: PictureRequest) throws -> ChildAnswer {
    let chunk = try ReferencingByteSource.whole(FileByteSource(path: request.path)) {
      try request.asset.open($0)
    }
    let frame = try FirstPicture.read(chunk, named: "the chunk")
    return .picture(Data(try JPEGPicture.encode(frame, widthLimit: request.widthLimit)))
  }
}
