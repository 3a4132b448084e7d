import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Names from submitters and workers in the coordinator's log and responses.
@Suite(.mayBlock) struct ForeignNameTests {
  static let name = "cut\u{1b}[2K\u{9b}31m\r\nforged\0\u{202e}4pm.exe"

  @Test func `the log escapes terminal control characters`() async throws {
    let lines = Mutex<[String]>([])
    let log = Log(.normal) { line in lines.withLock { $0.append(line) } }
    let farm = try await TestFarm(log: log)
    _ = try await farm.submit(name: Self.name)
    _ = try await farm.register(name: Self.name)
    let written = lines.withLock { $0 }
    #expect(written.count { $0.contains(#"u{1B}[2K"#) } >= 2)
    for line in written {
      #expect(line.hasSuffix("\n"))
      #expect(PrintableText(String(line.dropLast())).description == String(line.dropLast()))
    }
  }

  @Test func `a finished file's name cannot disguise its extension in a header`() async throws {
    let farm = try await TestFarm()
    let worker = try await farm.register()
    let job = try await farm.submit(name: Self.name)
    var delivered = 0
    var count = 1
    while delivered < count {
      let lease = try await farm.lease(worker)
      count = try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.total
      #expect(try await farm.deliver(lease).status == .ok)
      delivered += 1
    }
    #expect(try await farm.end(of: job).state == .completed)
    let response = try await farm.send(.get, "/jobs/\(job.id)/output")
    let field = try #require(response.headers["Content-Disposition"])
    #expect(field.utf8.allSatisfy { (0x20...0x7e).contains($0) })
    let name = try #require(field.components(separatedBy: "''").last?.removingPercentEncoding)
    #expect(name == "cut_[2K_31m_forged__4pm.exe.mp4")
    #expect(PrintableText(name).description == name)
  }
}
