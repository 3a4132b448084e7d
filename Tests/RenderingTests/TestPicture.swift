import Media
import Rendering
import Support

/// An 8-bit picture.
typealias TestPicture = PictureMemory<UInt8>

/// A picture in its own memory. Its rows are longer than their samples, with guard values in between.
final class PictureMemory<Sample: PictureSample> {
  let width: Int
  let height: Int
  let picture: PlanarPicture<Sample>
  private let memory: UnsafeMutablePointer<Sample>

  init(width: Int, height: Int, padding: Int = 5) {
    (self.width, self.height) = (width, height)
    let (chromaWidth, chromaHeight) = ((width + 1) / 2, (height + 1) / 2)
    let sizes = [
      (width, height), (chromaWidth, chromaHeight), (chromaWidth, chromaHeight),
    ]
    let count = sizes.reduce(0) { $0 + ($1.0 + padding) * $1.1 }
    memory = .allocate(capacity: count)
    memory.initialize(repeating: 0xAA, count: count)
    var planes: [SamplePlane<Sample>] = []
    var offset = 0
    for (width, height) in sizes {
      planes.append(
        SamplePlane(
          base: memory + offset, stride: width + padding, width: width, height: height))
      offset += (width + padding) * height
    }
    picture = PlanarPicture(luma: planes[0], cb: planes[1], cr: planes[2])
  }

  deinit { memory.deallocate() }

  /// A picture of one color.
  convenience init(width: Int, height: Int, color: PlanarColor<Sample>) {
    self.init(width: width, height: height)
    fill(picture.luma) { _, _ in color.luma }
    fill(picture.cb) { _, _ in color.cb }
    fill(picture.cr) { _, _ in color.cr }
  }

  /// A picture of noise, the same for the same seed.
  convenience init(width: Int, height: Int, seed: UInt64) {
    self.init(width: width, height: height)
    var random = SeededRandom(seed: seed)
    for plane in planes {
      fill(plane) { _, _ in Sample(Int32.random(in: 0...Sample.highest, using: &random)) }
    }
  }

  var planes: [SamplePlane<Sample>] { [picture.luma, picture.cb, picture.cr] }

  private func fill(_ plane: SamplePlane<Sample>, _ value: (Int, Int) -> Sample) {
    for y in 0..<plane.height { for x in 0..<plane.width { plane.row(y)[x] = value(x, y) } }
  }

  /// The samples of a plane, row by row.
  static func samples(_ plane: SamplePlane<Sample>) -> [[Sample]] {
    (0..<plane.height).map { y in (0..<plane.width).map { plane.row(y)[$0] } }
  }
}
