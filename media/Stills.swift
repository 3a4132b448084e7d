import Confinement
import Crypto
import Foundation
import Media
import Planning
import Preparation
import Rendering
import Timeline
import Typesetting

/// The service `stills`, which makes a picture of output frames as a segment's encoder receives them.
struct Stills: ChildService {
  func sandbox(for first: StillsRequest) -> Sandbox {
    var readable = first.files.values.flatMap(\.paths).sorted()
    if case .sheet = first.form { readable += FontFiles.all }
    return Sandbox(limits: .stills, readable: readable, writable: [first.output.directory])
  }

  func handle(_ request: StillsRequest) throws -> ChildAnswer {
    let picture =
      switch request.form {
      case .picture: try onlyPicture(of: request)
      case .sheet(let layout, let labels): try sheet(of: request, layout, labels)
      }
    let bytes =
      switch request.format {
      case .png: try PNGPicture.encode(picture)
      case .jpeg:
        try JPEGPicture.encode(
          picture, widthLimit: picture.width, quality: JPEGPicture.bestQuality)
      }
    let file = try HashedFile(request.output)
    try bytes.withUnsafeBytes { try file.write($0) }
    _ = file.finish()
    return .done
  }

  /// The frames of each segment in turn, in a size. Readers are closed at a segment's end.
  private func pictures(
    of request: StillsRequest, size: PixelSize?, _ body: (Frame) throws -> Void
  ) throws {
    for frames in request.frames {
      let stills = try SegmentStills(frames.segment, display: request.display) { source in
        guard let file = request.files[source.asset.description] else {
          throw MediaError(.readFailed, "the asset is not in the request", on: source.name)
        }
        return try file.open(named: source.name)
      }
      for number in frames.numbers { try body(try stills.picture(number, size: size)) }
    }
  }

  private func onlyPicture(of request: StillsRequest) throws -> Frame {
    var picture: Frame?
    try pictures(of: request, size: nil) { picture = $0 }
    guard let picture else {
      throw RenderingError(.invalidDescription, "the request has no frame")
    }
    return picture
  }

  private func sheet(
    of request: StillsRequest, _ layout: SheetLayout, _ labels: [String]
  ) throws -> Frame {
    let sheet = try SheetPicture(size: layout.size)
    var index = 0
    try pictures(of: request, size: layout.picture) { picture in
      let place = layout.place(of: index)
      try sheet.place(picture, left: place.left, top: place.top)
      if labels.indices.contains(index) {
        let label = layout.label(of: index)
        try sheet.write(
          labels[index], letters: layout.letters, middle: label.middle, top: label.top)
      }
      index += 1
    }
    return try sheet.frame()
  }
}
