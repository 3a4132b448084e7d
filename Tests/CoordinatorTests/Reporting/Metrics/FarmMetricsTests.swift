import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

@Suite(.mayBlock) struct FarmMetricsTests {
  /// The metrics of a farm with a worker and jobs.
  private func page() async throws -> Data {
    let farm = try await TestFarm()
    let worker = try await farm.register(name: "rack \"1\"\n\u{1b}")
    try await farm.finish(try await farm.submit(), by: worker)
    let job = try await farm.submit(name: "waits")
    try await farm.wait(for: job, until: .rendering)
    farm.coordinator.note(try exchange("/api/v1/jobs/{id}", .ok))
    return try await farm.respond(to: .get, "/metrics").content()
  }

  @Test func `every metric has the format of Prometheus`() async throws {
    let page = try Exposition(String(decoding: await page(), as: UTF8.self))
    #expect(page.names.count > 50)
  }

  @Test(.needsPromtool) func `every metric follows Prometheus' rules`() async throws {
    let result = try Tool.output(of: "promtool", ["check", "metrics"], input: await page())
    #expect(result.standardOutput.isEmpty && result.standardError.isEmpty)
  }

  @Test func `the metrics tell what a worker did`() async throws {
    let farm = try await TestFarm()
    let worker = try await farm.register(name: "rack")
    let job = try await farm.finish(try await farm.submit(), by: worker)
    let page = try await farm.exposition()
    let segments = Double(job.segments.total)
    let rack = ["worker": "rack"]
    #expect(page.value("sheaf_worker_segments_completed_total", rack) == segments)
    #expect(page.value("sheaf_worker_frames_total", rack) == job.frameCount.map(Double.init))
    #expect(page.value("sheaf_worker_slots", rack) == 1)
    #expect(page.value("sheaf_render_speed_fps_count", ["codec": "h264"]) == segments)
    #expect(page.value("sheaf_segment_wait_seconds_count") == segments)
    #expect(page.value("sheaf_lease_request_duration_seconds_count") == segments)
  }

  @Test func `the oldest pending segment has an age`() async throws {
    let farm = try await TestFarm()
    #expect(try await farm.exposition().value("sheaf_oldest_pending_segment_age_seconds") == 0)
    let job = try await farm.submit()
    try await farm.wait(for: job, until: .rendering)
    let age = try await farm.exposition().value("sheaf_oldest_pending_segment_age_seconds")
    #expect(try #require(age) > 0)
  }

  @Test func `requests are counted by route and class, never by path`() async throws {
    let farm = try await TestFarm()
    farm.coordinator.note(try exchange("/api/v1/leases/{token}", .ok))
    farm.coordinator.note(try exchange("/api/v1/leases/{token}", .notFound))
    farm.coordinator.note(try exchange(nil, .notFound, method: "MADE-UP"))
    farm.coordinator.note(try exchange("/api/v1/jobs", nil))
    let page = try await farm.exposition()
    func count(_ method: String, _ route: String, _ status: String) -> Double? {
      page.value(
        "sheaf_http_requests_total", ["method": method, "route": route, "status": status])
    }
    #expect(count("GET", "/api/v1/leases/{token}", "2xx") == 1)
    #expect(count("GET", "/api/v1/leases/{token}", "4xx") == 1)
    #expect(count("other", "none", "4xx") == 1)
    #expect(count("GET", "/api/v1/jobs", "none") == 1)
  }

  @Test func `a served request is counted with its bytes and its time`() async throws {
    let directory = try TemporaryDirectory()
    let coordinator = try RunningCoordinator(data: directory.path("data"))
    defer { coordinator.kill() }
    let client = Client()
    let health = ClientRequest(.get, coordinator.origin + "/healthz")
    #expect(try await client.send(health).status == .ok)
    let labels = ["method": "GET", "route": "/healthz", "status": "2xx"]
    try await eventually("the request is counted") {
      let page = try await client.send(ClientRequest(.get, coordinator.origin + "/metrics"))
      return try Exposition(String(decoding: page.body, as: UTF8.self))
    } satisfies: { page in
      page.value("sheaf_http_response_bytes_total", labels) == 3
        && page.value("sheaf_http_request_duration_seconds_count", labels) == 1
    }
  }

  @Test func `the page tells sizes, the process, the version and the last backup`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.upload(Data("twelve bytes".utf8))
    let page = try await farm.exposition()
    #expect(page.value("sheaf_store_bytes", ["store": "assets"]) == 12)
    #expect(page.value("sheaf_store_files", ["store": "assets"]) == 1)
    #expect(page.value("sheaf_build_info", ["version": SheafVersion.current]) == 1)
    #expect(page.value("sheaf_last_backup_timestamp_seconds") == 0)
    #expect(try #require(page.value("sheaf_disk_free_bytes")) > 0)
    #expect(try #require(page.value("process_resident_memory_bytes")) > 1_048_576)
    #expect(try #require(page.value("process_cpu_seconds_total")) > 0)
  }

  private func metrics(of coordinator: RunningCoordinator) async throws -> Exposition {
    let request = ClientRequest(.get, coordinator.origin + "/metrics")
    return try Exposition(String(decoding: try await Client().send(request).body, as: UTF8.self))
  }

  @Test func `the page tells when the process started`() async throws {
    let directory = try TemporaryDirectory()
    let coordinator = try RunningCoordinator(data: directory.path("data"))
    defer { coordinator.kill() }
    let started = try await metrics(of: coordinator).value("process_start_time_seconds")
    // proc(5): the time of the host's start in seconds since 1970, and the process's start in clock ticks after it.
    let host = try String(contentsOfFile: "/proc/stat", encoding: .utf8).split(separator: "\n")
    let boot = try #require(
      host.first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) })
    let path = "/proc/\(coordinator.process.id)/stat"
    let fields = try String(contentsOfFile: path, encoding: .utf8).split(separator: " ")
    let ticks = try #require(Double(fields[21]))
    #expect(started == boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK))))
  }

  @Test func `a backup is noted with its time`() async throws {
    let directory = try TemporaryDirectory()
    let coordinator = try RunningCoordinator(data: directory.path("data"))
    defer { coordinator.kill() }
    func backUp(to name: String) throws {
      let result = try Program.coordinator.run([
        "backup", "--data", directory.path("data"), "--to", directory.path(name),
      ])
      #expect(result.status == 0)
    }
    func notedTime() async throws -> Double? {
      try await metrics(of: coordinator).value("sheaf_last_backup_timestamp_seconds")
    }
    try backUp(to: "first")
    let note = directory.path("data/last-backup")
    let past = timeval(tv_sec: 1_000_000_000, tv_usec: 0)
    #expect(utimes(note, [past, past]) == 0)
    #expect(try await notedTime() == 1_000_000_000)
    try backUp(to: "second")
    // Unlike the time of its modification, the time of a file's last change always comes from the kernel's clock.
    var information = stat()
    #expect(lstat(note, &information) == 0)
    let change = information.st_ctim
    #expect(try await notedTime() == Double(change.tv_sec) + Double(change.tv_nsec) / 1e9)
  }

  private func exchange(
    _ template: String?, _ status: Status?, method: String = "GET"
  ) throws -> FinishedExchange {
    FinishedExchange(
      head: try Request(HTTP.Method(rawValue: method), "/secret").head, template: template,
      status: status, byteCount: 10, latency: status.map { _ in .milliseconds(3) },
      duration: .milliseconds(4))
  }
}
