import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Processes
import Support
import Testing
import sheaf_coordinator

/// Finished files that are passed to a client on the coordinator's host.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct PassedFileTests {
  private let farm: TestFarm
  private let job: JobStatus
  /// The digest of the job's finished file.
  private let digest: String

  init() async throws {
    farm = try await TestFarm()
    job = try await farm.finish(farm.submit(), by: farm.register())
    digest = try #require(job.output?.sha256).description
  }

  private func output(
    _ method: HTTP.Method = .get, to socket: String?, peer: String = "127.0.0.1"
  ) async throws -> Response {
    var headers = Headers()
    headers["Sheaf-File-Socket"] = socket
    return try await farm.respond(
      to: method, "/api/v1/jobs/\(job.id)/output", headers: headers, from: peer)
  }

  @Test(arguments: ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
  func `a client on the same host gets the file, and no bytes`(peer: String) async throws {
    let expected = try await output(to: nil).content()
    let passage = try FilePassage()
    let response = try await output(to: passage.name, peer: peer)
    #expect(response.status == .noContent)
    #expect(response.headers["ETag"] == "\"\(digest)\"")
    let descriptor = try #require(passage.take(digest))
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    #expect(try file.readToEnd() == expected)
    #expect(fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDONLY)
    #expect(passage.take(digest) == nil)
  }

  @Test(arguments: ["192.0.2.1", "2001:db8::1", ""])
  func `clients on other hosts get the bytes`(peer: String) async throws {
    let passage = try FilePassage()
    let response = try await output(to: passage.name, peer: peer)
    #expect(response.status == .ok)
    #expect(try await response.content().isEmpty == false)
    #expect(passage.take(digest) == nil)
  }

  @Test(arguments: ["", "none", String(repeating: "x", count: 65), "../x"])
  func `the bytes are sent if nobody takes the file`(socket: String) async throws {
    #expect(try await output(to: socket).status == .ok)
  }

  @Test func `a request for the head does not pass the file`() async throws {
    let passage = try FilePassage()
    #expect(try await output(.head, to: passage.name).status == .ok)
    #expect(passage.take(digest) == nil)
  }
}
