import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing

@Suite(.mayBlock) struct AssetTests {
  @Test(.timeLimit(.minutes(15)))
  func `two requests that complete the same upload do not corrupt it`() async throws {
    let farm = try await TestFarm()
    let bytes = Data(count: 48 << 20)
    let digest = Digest.of(bytes)
    let head: Headers = ["Upload-Length": "\(bytes.count)"]
    for _ in 0..<4 {
      let path = farm.directory.stored(digest, in: "assets")
      unlink(path)
      let part = try await farm.send(
        .put, "/assets/\(digest)", headers: head, body: bytes.dropLast())
      #expect(part.status == .accepted)
      let rest: Headers = [
        "Upload-Length": "\(bytes.count)", "Upload-Offset": "\(bytes.count - 1)",
      ]
      let last = Data(bytes.suffix(1))
      let wrong = Data([last[0] ^ 1])
      async let first = farm.send(.put, "/assets/\(digest)", headers: rest, body: last).status
      async let second = farm.send(.put, "/assets/\(digest)", headers: rest, body: wrong).status
      let statuses = try await [first, second]
      #expect(!statuses.contains(.internalServerError))
      if FileManager.default.fileExists(atPath: path) {
        #expect(try Digest.of(file: path) == digest)
      } else {
        #expect(!statuses.contains(.created))
      }
    }
  }

  private let bytes = Data("twelve bytes".utf8)
  private var path: String { "/assets/\(Digest.of(bytes))" }

  @Test func `an interrupted upload resumes where it stopped`() async throws {
    let farm = try await TestFarm()
    let first = try await farm.send(
      .put, path, headers: ["Upload-Offset": "0", "Upload-Length": "12"], body: bytes.prefix(5))
    #expect(first.status == .accepted)
    let question = try await farm.send(.head, path)
    #expect(question.status == .notFound)
    #expect(question.headers["Upload-Offset"] == "5")
    let rest = try await farm.send(
      .put, path, headers: ["Upload-Offset": "5", "Upload-Length": "12"], body: bytes.suffix(7))
    #expect(rest.status == .created)
    #expect(try await farm.send(.get, path).content() == bytes)
  }

  @Test func `the response to an upload at the wrong offset has the right one`() async throws {
    let farm = try await TestFarm()
    let headers: Headers = ["Upload-Offset": "3", "Upload-Length": "12"]
    let response = try await farm.send(.put, path, headers: headers, body: bytes.suffix(9))
    #expect(response.status == .conflict)
    #expect(response.headers["Upload-Offset"] == "0")
    #expect(try await response.problem() == .uploadOffset)
  }

  @Test func `an upload that is longer than its asset starts over`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.send(
      .put, path, headers: ["Upload-Length": "20"], body: Data("thirteen bytes".utf8))
    let response = try await farm.send(
      .put, path, headers: ["Upload-Offset": "0", "Upload-Length": "12"], body: bytes)
    #expect(response.headers["Upload-Offset"] == "0")
    #expect(try await farm.upload(bytes).byteCount == 12)
  }

  @Test func `bytes that do not match the digest are refused and dropped`() async throws {
    let farm = try await TestFarm()
    let response = try await farm.send(.put, path, body: Data("other bytes!".utf8))
    #expect(response.status == .unprocessableContent)
    #expect(try await response.problem() == .digestMismatch)
    #expect(try await farm.send(.head, path).headers["Upload-Offset"] == "0")
  }

  @Test func `an upload with more bytes than announced is a damaged request`() async throws {
    let farm = try await TestFarm()
    let response = try await farm.send(
      .put, path, headers: ["Upload-Length": "5"], body: bytes)
    #expect(response.status == .badRequest)
    #expect(try await response.problem() == .damagedRequest)
    #expect(try await farm.send(.head, path).headers["Upload-Offset"] == "0")
  }

  @Test func `an empty asset can be uploaded`() async throws {
    let farm = try await TestFarm()
    let empty = Digest.of(Data())
    #expect(try await farm.send(.put, "/assets/\(empty)").status == .created)
    #expect(try await farm.send(.head, "/assets/\(empty)").status == .ok)
  }

  @Test func `a byte range of an asset is served`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.upload(bytes)
    let response = try await farm.send(.get, path, headers: ["Range": "bytes=7-9"])
    #expect(response.status == .partialContent)
    #expect(try await response.content() == Data("byt".utf8))
  }

  @Test func `an invalid digest is refused`() async throws {
    let farm = try await TestFarm()
    let response = try await farm.send(.put, "/assets/beach.mp4", body: bytes)
    #expect(try await response.problem() == .malformedRequest)
  }

  @Test func `an asset under a media root is served without an upload`() async throws {
    let root = try TemporaryDirectory()
    try bytes.write(to: URL(fileURLWithPath: root.path("a.mp4")))
    let farm = try await TestFarm(mediaRoots: [root.path])
    let reference = AssetReference(
      digest: Digest.of(bytes), byteCount: 12, path: root.path("a.mp4"))
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project, assets: ["a.mp4": reference])
    let job: JobStatus = try await farm.post("/jobs", submission).wire()
    _ = try await farm.admin().end(of: job) { $0.state == .rendering }
    #expect(try await farm.send(.get, path).content() == bytes)
  }

  @Test func `a path that leaves the media root through a link is not shared`() async throws {
    let root = try TemporaryDirectory()
    let outside = try TemporaryDirectory()
    try bytes.write(to: URL(fileURLWithPath: outside.path("a.mp4")))
    try FileManager.default.createSymbolicLink(
      atPath: root.path("a.mp4"), withDestinationPath: outside.path("a.mp4"))
    let farm = try await TestFarm(mediaRoots: [root.path])
    let reference = AssetReference(
      digest: Digest.of(bytes), byteCount: 12, path: root.path("a.mp4"))
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project, assets: ["a.mp4": reference])
    #expect(try await farm.post("/jobs", submission).problem() == .missingAsset)
  }

  @Test func `a folder that is replaced by a link after the submission is detected`() async throws {
    let root = try TemporaryDirectory()
    let outside = try TemporaryDirectory()
    for folder in [root, outside] {
      try FileManager.default.createDirectory(
        atPath: folder.path("clips"), withIntermediateDirectories: false)
      try bytes.write(to: URL(fileURLWithPath: folder.path("clips/a.mp4")))
    }
    let farm = try await TestFarm(mediaRoots: [root.path])
    let reference = AssetReference(
      digest: Digest.of(bytes), byteCount: 12, path: root.path("clips/a.mp4"))
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project, assets: ["a.mp4": reference])
    let job: JobStatus = try await farm.post("/jobs", submission).wire()
    _ = try await farm.admin().end(of: job) { $0.state == .rendering }
    #expect(try await farm.send(.get, path).content() == bytes)
    try FileManager.default.removeItem(atPath: root.path("clips"))
    try FileManager.default.createSymbolicLink(
      atPath: root.path("clips"), withDestinationPath: outside.path("clips"))
    #expect(try await farm.send(.get, path).status == .notFound)
  }

  @Test(arguments: ["/../outside/a.mp4", "/./a.mp4/../../outside/a.mp4"])
  func `a path that leaves the media root through dot components is not shared`(
    way: String
  ) async throws {
    let scratch = try TemporaryDirectory()
    for name in ["root", "outside"] {
      try FileManager.default.createDirectory(
        atPath: scratch.path(name), withIntermediateDirectories: false)
    }
    try bytes.write(to: URL(fileURLWithPath: scratch.path("outside/a.mp4")))
    let farm = try await TestFarm(mediaRoots: [scratch.path("root")])
    let reference = AssetReference(
      digest: Digest.of(bytes), byteCount: 12, path: scratch.path("root") + way)
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project, assets: ["a.mp4": reference])
    #expect(try await farm.post("/jobs", submission).problem() == .missingAsset)
  }
}
