import Confinement
import Foundation
import Media
import Preparation

/// The service `picture`, which makes a small JPEG of the first picture of a chunk.
struct Picturing: ChildService {
  func sandbox(for first: PictureRequest) -> Sandbox {
    Sandbox(limits: .picture, readable: [first.path], writable: [])
  }

  func handle(_ request: PictureRequest) throws -> ChildAnswer {
    let frame = try FirstPicture.read(FileByteSource(path: request.path), named: "the chunk")
    return .picture(Data(try JPEGPicture.encode(frame, widthLimit: request.widthLimit)))
  }
}
