import Crypto
import Foundation
import Planning
import Support
import Testing
import Timeline
import Typesetting

/// A picture that the system cannot write is not an error of its layer.
@Suite(.mayBlock) struct UnwritablePictureTests {
  private let scratch: TemporaryDirectory
  /// The file that the first picture is written to.
  private var picture: String { scratch.path("raster-1.part") }

  init() throws { scratch = try TemporaryDirectory() }

  private func failure() throws -> FileWriteError {
    let typesetter = LayerTypesetter(files: [:], directory: scratch.path)
    let request = RasterRequest(
      path: LayerPath([0]), content: .solid(.black),
      bounds: PixelRect(x: 0, y: 0, width: 8, height: 8), scale: 1)
    return try #require(throws: FileWriteError.self) {
      try typesetter.rasters(for: [request])
    }
  }

  @Test func `a full disk is reported through Cairo`() throws {
    try #require(symlink("/dev/full", picture) == 0)
    #expect(try failure() == FileWriteError(path: picture, number: ENOSPC))
  }

  @Test func `a file that cannot be created is reported`() throws {
    try FileManager.default.createDirectory(atPath: picture, withIntermediateDirectories: false)
    #expect(try failure() == FileWriteError(path: picture, number: EISDIR))
  }
}
