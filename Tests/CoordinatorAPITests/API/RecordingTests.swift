import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// The routes of recordings, with a source that never sends: the coordinator listens, but no sender connects.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct RecordingTests {
  /// Each test has an address of its own.
  private let source = "tcp-listen://127.0.0.\(Self.nextAddress()):47101"
  private static let addresses = Mutex(1)

  private static func nextAddress() -> Int {
    addresses.withLock { address in
      address += 1
      return address
    }
  }

  private func body(_ name: String = "take") throws -> Data {
    try FarmCoding.encode(
      RecordingSubmission(name: name, source: #require(RecordingSource(source))))
  }

  private func begin(
    _ holder: TokenHolder, _ name: String = "take", under key: String? = nil
  ) async throws -> Response {
    var headers: Headers = ["Content-Type": "application/json"]
    if let key { headers[IdempotencyKey.headerName] = key }
    return try await holder.send(.post, "/recordings", headers: headers, body: try body(name))
  }

  private func twoSubmitters() async throws -> (TestFarm, TokenHolder, TokenHolder) {
    let farm = try await TestFarm(recordingSources: [source], access: .tokens)
    return (
      farm, try TokenHolder(.submitter, "ada", of: farm),
      try TokenHolder(.submitter, "bob", of: farm)
    )
  }

  @Test func `another submitter's recording is not found, and is not changed`() async throws {
    let (farm, ada, bob) = try await twoSubmitters()
    let recording: RecordingStatus = try await begin(ada).wire()
    #expect(recording.submitter == "ada" && recording.state == .preparing)
    for (method, suffix) in [
      ("GET", ""), ("POST", "/stop"), ("GET", "/outputs/0"), ("DELETE", ""),
      ("GET", "/stream.m3u8"), ("GET", "/parts/1/header.mp4"),
    ] {
      let refused = try await bob.send(
        HTTP.Method(rawValue: method), "/recordings/\(recording.id)\(suffix)")
      #expect(refused.status == .notFound)
    }
    let mine = try await ada.send(.get, "/recordings").wire(as: [RecordingStatus].self)
    #expect(mine.map(\.id) == [recording.id])
    #expect(try await bob.send(.get, "/recordings").wire(as: [RecordingStatus].self).isEmpty)
    let eve = try TokenHolder(.observer, "eve", of: farm)
    #expect(try await eve.send(.get, "/recordings/\(recording.id)").status == .ok)
    #expect(try await eve.send(.post, "/recordings/\(recording.id)/stop").status == .forbidden)
    await farm.coordinator.stop()
  }

  @Test func `a project can name only recordings that its submitter may see`() async throws {
    let (farm, ada, bob) = try await twoSubmitters()
    let id = try await begin(ada).wire(as: RecordingStatus.self).id
    let body = { (id: String) in
      try FarmCoding.encode(
        JobSubmission(
          name: "cut",
          project: #"{"version": 1, "sequence": [{"clip": "recording://\#(id)"}]}"#, assets: [:]))
    }
    let headers: Headers = ["Content-Type": "application/json"]
    #expect(
      try await ada.send(.post, "/jobs", headers: headers, body: body(id)).status == .created)
    for (holder, id) in [(bob, id), (ada, "nosuch")] {
      let refused = try await holder.send(.post, "/jobs", headers: headers, body: body(id))
      #expect(refused.status == .unprocessableContent)
      #expect(try await refused.problem() == .assetNotAllowed)
      let findings = try await holder.send(
        .post, "/projects/check", headers: headers, body: body(id)
      ).wire(as: ProjectFindings.self)
      #expect(findings.findings.contains { $0.message.contains("there is no recording '\(id)'") })
    }
    await farm.coordinator.stop()
  }

  @Test func `a key returns the same recording only for the same submitter and body`()
    async throws
  {
    let (farm, ada, bob) = try await twoSubmitters()
    let first = try await begin(ada, under: "once")
    #expect(first.status == .created)
    let again = try await begin(ada, under: "once")
    #expect(again.status == .ok)
    let id = try await first.wire(as: RecordingStatus.self).id
    #expect(try await again.wire(as: RecordingStatus.self).id == id)
    #expect(try await begin(ada, "other", under: "once").status == .unprocessableContent)
    #expect(try await begin(bob, under: "once").wire(as: RecordingStatus.self).id != id)
    await farm.coordinator.stop()
  }

  @Test func `a stopped recording ends, and can then be deleted`() async throws {
    let (farm, ada, _) = try await twoSubmitters()
    let id = try await begin(ada).wire(as: RecordingStatus.self).id
    #expect(try await ada.send(.delete, "/recordings/\(id)").status == .conflict)
    #expect(try await ada.send(.post, "/recordings/\(id)/stop").status == .ok)
    try await eventually("the recording ends") {
      try await ada.send(.get, "/recordings/\(id)").wire(as: RecordingStatus.self).state == .failed
    }
    let ended = try await ada.send(.get, "/recordings/\(id)").wire(as: RecordingStatus.self)
    #expect(ended.failure?.code == .nothingRecorded)
    #expect(ended.endedAt != nil)
    #expect(try await ada.send(.get, "/recordings/\(id)/outputs/0").status == .notFound)
    #expect(try await ada.send(.delete, "/recordings/\(id)").status == .noContent)
    #expect(try await ada.send(.get, "/recordings/\(id)").status == .notFound)
    await farm.coordinator.stop()
  }

  @Test func `an invalid recording is rejected`() async throws {
    let farm = try await TestFarm(recordingSources: [source])
    func answer(_ body: String) async throws -> Response {
      try await farm.send(
        .post, "/recordings", headers: ["Content-Type": "application/json"], body: Data(body.utf8))
    }
    let refused = try await answer(#"{"name": "a", "source": "udp://127.0.0.1:5000"}"#)
    #expect(refused.status == .unprocessableContent)
    #expect(try await refused.problem() == .sourceNotAllowed)
    #expect(try await answer(#"{"name": "a", "source": "ftp://x:1"}"#).status == .badRequest)
    #expect(try await answer(#"{"name": "", "source": "\#(source)"}"#).status == .badRequest)
    for limit in [#""length": -1"#, #""byteLimit": 0"#, #""splitLength": 9"#] {
      let answer = try await answer(#"{"name": "a", "source": "\#(source)", \#(limit)}"#)
      #expect(answer.status == .badRequest, "\(limit)")
    }
    #expect(try await farm.send(.get, "/recordings").wire(as: [RecordingStatus].self).isEmpty)
    await farm.coordinator.stop()
  }

  @Test func `a restart finishes or undoes an interrupted deletion`() async throws {
    let folder = try TemporaryDirectory()
    let data = folder.path("data")
    var id = ""
    do {
      let farm = try await TestFarm(
        in: folder, ledger: .onDisk, recordingSources: [source])
      id = try await farm.send(
        .post, "/recordings", headers: ["Content-Type": "application/json"], body: try body()
      ).wire(as: RecordingStatus.self).id
      await farm.coordinator.stop()
    }
    let recordings = "\(data)/recordings"
    let files = ["\(id)/part-1/1", "gone/part-1/1", "unknown/part-1/1"]
    for file in files + [".deleted/\(id)", ".deleted/gone"] {
      let path = URL(filePath: "\(recordings)/\(file)")
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("bytes".utf8).write(to: path)
    }
    let farm = try await TestFarm(in: folder, ledger: .onDisk)
    try await eventually("the deletion is finished") {
      // A folder may disappear while it is listed.
      let names = try? FileManager.default.subpathsOfDirectory(atPath: recordings)
      return names?.filter { $0.hasSuffix("/1") || $0.hasPrefix(".deleted/") }.sorted()
        == [files[0], files[2]].sorted()
    }
    await farm.coordinator.stop()
  }
}
