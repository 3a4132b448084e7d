import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// The stream of a job while it is rendered.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct JobStreamTests {
  private func playlist(of job: JobStatus, on farm: TestFarm) async throws -> [String] {
    let response = try await farm.send(.get, "/jobs/\(job.id)/stream.m3u8?wait=0")
    #expect(response.status == .ok)
    #expect(response.headers["Content-Type"] == "application/vnd.apple.mpegurl")
    let text = String(decoding: try await response.content(), as: UTF8.self)
    #expect(text.hasPrefix("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:8\n"))
    return text.split(separator: "\n").map(String.init)
  }

  private func piece(
    _ name: String, of job: JobStatus, on farm: TestFarm
  ) async throws -> String {
    let response = try await farm.send(.get, "/jobs/\(job.id)/stream/\(name)")
    #expect(response.status == .ok, "\(name)")
    return String(decoding: try await response.content(), as: UTF8.self)
  }

  @Test func `the playlist grows with the finished parts, and ends when the job is completed`()
    async throws
  {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    let first = try await farm.lease(worker)
    let second = try await farm.lease(worker)
    #expect(first.segment == 0)
    try await eventually("the sound is mixed") {
      let stream: JobStream = try await farm.get("/jobs/\(job.id)/stream")
      return stream.sound == .ready
    }
    #expect(try await playlist(of: job, on: farm).filter { !$0.hasPrefix("#") } == [])

    // A later segment finishes first. The segment list shows it, but the playlist does not contain it yet.
    #expect(try await farm.deliver(second).status == .ok)
    let stream: JobStream = try await farm.get("/jobs/\(job.id)/stream")
    #expect(stream.segments.indices.filter { stream.segments[$0].isFinished } == [second.segment])
    #expect(
      stream.startTime == 10 && !stream.hasEnded && stream.segments.last?.end == stream.duration)
    #expect(try await playlist(of: job, on: farm).filter { !$0.hasPrefix("#") } == [])
    #expect(
      try await farm.send(.get, "/jobs/\(job.id)/stream/film/0-0.m4s").status == .notFound)

    #expect(try await farm.deliver(first).status == .ok)
    let grown = try await playlist(of: job, on: farm)
    #expect(grown.contains("stream/film/0-0.m4s") && grown.last != "#EXT-X-ENDLIST")
    #expect(grown.contains("#EXT-X-MAP:URI=\"stream/film/header.mp4\""))

    #expect(try await farm.finish(job, by: worker).state == .completed)
    let whole = try await playlist(of: job, on: farm)
    #expect(Array(whole.prefix(grown.count)) == grown)
    #expect(whole.last == "#EXT-X-ENDLIST")
    let pieces = whole.filter { !$0.hasPrefix("#") }
    #expect(pieces.count == stream.segments.map(\.pieces).reduce(0, +))
    let seconds = whole.compactMap { Double($0.dropFirst("#EXTINF:".count).dropLast()) }.reduce(
      0, +)
    #expect(abs(seconds - stream.duration) < 0.001)
    #expect(try await piece("film/0-0.m4s", of: job, on: farm).hasSuffix("of 0, mix"))
    let end: JobStream = try await farm.get("/jobs/\(job.id)/stream")
    #expect(end.hasEnded && end.segments.allSatisfy(\.isFinished))
    #expect(end.revision == stream.revision && !end.revision.isEmpty)
  }

  @Test func `pieces have pictures, sound or both, and leave no files`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    #expect(try await farm.deliver(lease).status == .ok)
    try await eventually("the sound is mixed") {
      try await farm.send(.get, "/jobs/\(job.id)/stream/sound/header.mp4").status == .ok

    }
    #expect(try await piece("film/header.mp4", of: job, on: farm) == "header, mix")
    #expect(try await piece("pictures/header.mp4", of: job, on: farm) == "header")
    #expect(try await piece("sound/header.mp4", of: job, on: farm) == "header, sound, mix")
    let pictures = try await piece("pictures/0-0.m4s", of: job, on: farm)
    #expect(pictures.hasPrefix("frames 0..<") && pictures.hasSuffix("of 0"))
    for name in [
      "film/0-99.m4s", "film/9999-0.m4s", "film/0.m4s", "film/00-0.m4s", "film/-1-0.m4s",
      "film/99999999999999999999-0.m4s", "noise/0-0.m4s", "film/header.mp5",
    ] {
      #expect(try await farm.send(.get, "/jobs/\(job.id)/stream/\(name)").status == .notFound)
    }
    let files = try FileManager.default.contentsOfDirectory(
      atPath: farm.directory.path("data/uploads"))
    #expect(files.allSatisfy { !$0.hasPrefix("lent-") })
  }

  @Test func `a playlist waits for its first piece, even if the job is not planned yet`()
    async throws
  {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    async let waiting = farm.send(.get, "/jobs/\(job.id)/stream.m3u8?wait=60")
    let lease = try await farm.lease(worker)
    #expect(lease.segment == 0)
    #expect(try await farm.deliver(lease).status == .ok)
    let text = String(decoding: try await waiting.content(), as: UTF8.self)
    #expect(text.contains("stream/film/0-0.m4s"))
    #expect(
      try await farm.send(.get, "/jobs/\(job.id)/stream.m3u8?wait=61").status == .badRequest)
  }

  @Test func `a playlist of a job that is cancelled stops waiting`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    async let waiting = farm.send(.get, "/jobs/\(job.id)/stream.m3u8?wait=60")
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    #expect(try await waiting.status == .conflict)
  }

  @Test func `a cancelled job and one without chunks have no stream`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    #expect(try await farm.finish(job, by: worker).state == .completed)
    try FileManager.default.removeItem(atPath: farm.directory.path("data/chunks"))
    for name in ["stream", "stream.m3u8"] {
      #expect(try await farm.send(.get, "/jobs/\(job.id)/\(name)").status == .notFound)
    }
    let other = try await farm.submit(name: "other")
    _ = try await farm.send(.post, "/jobs/\(other.id)/cancel")
    for name in ["stream", "stream.m3u8", "stream/film/0-0.m4s"] {
      #expect(try await farm.send(.get, "/jobs/\(other.id)/\(name)").status == .conflict)
    }
    #expect(try await farm.send(.get, "/jobs/none/stream").status == .notFound)
  }
}
