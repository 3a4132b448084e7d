import Media

extension Frame {
  /// Calls `body` with a 4:2:0 picture's planes for writing.
  func withMutablePicture<Sample: PictureSample, Result>(
    of sample: Sample.Type, _ body: (PlanarPicture<Sample>) throws -> Result
  ) throws -> Result {
    try withUnsafeMutablePlanes(of: sample) { planes in
      let planes = planes.map {
        SamplePlane(base: $0.base, stride: $0.stride, width: $0.width, height: $0.height)
      }
      return try body(PlanarPicture(planes))
    }
  }

  /// Calls `body` with the planes of several 4:2:0 pictures for reading.
  static func withPictures<Sample: PictureSample, Result>(
    of frames: some Collection<Frame>, as sample: Sample.Type,
    _ body: ([PlanarPicture<Sample>]) throws -> Result
  ) throws -> Result {
    guard let frame = frames.first else { return try body([]) }
    return try frame.withUnsafePlanes(of: Sample.self) { planes in
      let picture = try PlanarPicture(
        planes.map {
          SamplePlane(
            base: UnsafeMutablePointer(mutating: $0.base), stride: $0.stride, width: $0.width,
            height: $0.height)
        })
      return try withPictures(of: frames.dropFirst(), as: sample) { try body([picture] + $0) }
    }
  }
}

extension PlanarPicture {
  /// Creates a picture from libav's three planes.
  fileprivate init(_ planes: [SamplePlane<Sample>]) throws {
    guard planes.count == 3 else {
      throw RenderingError(
        .invalidDescription,
        "a picture with \(planes.count) planes cannot be composited: three are required")
    }
    self.init(luma: planes[0], cb: planes[1], cr: planes[2])
  }
}
