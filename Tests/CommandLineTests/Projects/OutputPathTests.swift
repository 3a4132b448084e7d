import Foundation
import Support
import Testing
import Timeline
import sheaf

@Suite(.mayBlock) struct OutputPathTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func write(_ name: String) throws -> String {
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path(name)))
    return folder.path(name)
  }

  private func failure(
    _ path: String, inputs: [String] = [], mayReplace: Bool = false
  ) -> CommandFailure? {
    #expect(throws: CommandFailure.self) {
      try OutputPath(path, inputs: inputs, mayReplace: mayReplace)
    }
  }

  @Test(arguments: [("o.mp4", FileType.mp4), ("o.MOV", .mov)])
  func `the extension selects the container`(name: String, fileType: FileType) throws {
    #expect(try OutputPath(folder.path(name), mayReplace: false).fileType == fileType)
  }

  @Test(arguments: ["o", "o.avi", "mp4", "o.mp4.txt"])
  func `an unknown extension is rejected`(name: String) {
    #expect(failure(folder.path(name))?.exitCode == .usage)
  }

  @Test func `a missing directory is named`() {
    let line = failure(folder.path("no/o.mp4"))?.lines.first
    #expect(line?.hasSuffix("create the directory \(folder.path("no")) first") == true)
  }

  @Test func `an existing file is replaced only on request`() throws {
    let path = try write("o.mp4")
    #expect(failure(path)?.lines.first?.contains("--overwrite") == true)
    #expect(try OutputPath(path, mayReplace: true).path == path)
  }

  @Test func `an input is never replaced, even under another name`() throws {
    let path = try write("a.mp4")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("b.mp4"), withDestinationPath: path)
    #expect(failure(folder.path("b.mp4"), inputs: [path], mayReplace: true)?.exitCode == .usage)
  }

  @Test func `a directory is rejected as an output`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("o.mp4"), withIntermediateDirectories: false)
    #expect(failure(folder.path("o.mp4"), mayReplace: true) != nil)
  }

  @Test func `the finished part is renamed to the output`() throws {
    let output = try OutputPath(folder.path("o.mp4"), mayReplace: false)
    try output.take(try write("part"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["o.mp4"])
  }
}
