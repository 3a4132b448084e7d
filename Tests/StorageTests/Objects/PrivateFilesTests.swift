import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing

/// The access that other users of the host have to a data directory.
@Suite(.mayBlock) struct PrivateFilesTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private var data: String { scratch.path("data") }

  /// The paths to which users other than the owner have access: the data directory and those in it.
  private func open() throws -> [String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: data).map { "\(data)/\($0)" }
    return try ([data] + names).filter { path in
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return (attributes[.posixPermissions] as? Int ?? 0o777) & 0o077 != 0
    }
  }

  /// Starts a coordinator, uploads an asset, and stops the coordinator.
  private func serve() async throws {
    let running = try RunningCoordinator(data: data)
    let bytes = Data("a clip".utf8)
    let upload = try await Client().send(
      ClientRequest(.put, "\(running.url)/assets/\(Digest.of(bytes))", body: bytes))
    #expect(upload.status == .created)
    #expect(try open() == [])
    running.process.terminate()
    running.process.wait()
    #expect(try open() == [])
  }

  @Test(.timeLimit(.minutes(15)))
  func `a new data directory is private`() async throws {
    let outcome = try Program.coordinator.run(
      ["token", "create", "--data", data, "--role", "admin", "--name", "root"])
    #expect(outcome.status == 0)
    try await serve()
    let backup = scratch.path("backup.sqlite")
    #expect(try Program.coordinator.run(["backup", "--data", data, "--to", backup]).status == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: backup)[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test(.timeLimit(.minutes(15)), arguments: ["the folder", "what is in it"])
  func `an existing data directory is made private`(opened: String) async throws {
    try await serve()
    try Tool.run("chmod", ["-R", "a+rX", data])
    if opened != "the folder" { try Tool.run("chmod", ["700", data]) }
    #expect(try !open().isEmpty)
    try await serve()
  }

  /// Makes a folder with a mode, and a link to it in the place of the data directory.
  private func linkFolder(mode: String) throws -> String {
    let folder = scratch.path("folder")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Tool.run("chmod", [mode, folder])
    try FileManager.default.createSymbolicLink(atPath: data, withDestinationPath: folder)
    return folder
  }

  @Test(.timeLimit(.minutes(15)))
  func `a data directory behind a symbolic link is made private`() throws {
    let folder = try linkFolder(mode: "777")
    let running = try RunningCoordinator(data: data)
    running.kill()
    let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions]
    #expect(mode as? Int == 0o700)
  }

  @Test(
    .enabled(if: geteuid() == 0, "needs root, to give a folder away"), .timeLimit(.minutes(15)))
  func `another user's open data directory is refused behind a symbolic link too`() throws {
    let folder = try linkFolder(mode: "750")
    try Tool.run("chown", ["65534", folder])
    let refused = try Program.coordinator.run(["serve", "--data", data, "--port", "0"])
    #expect(refused.status == 1)
    #expect(refused.standardError.contains("\(folder) has mode 750"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
  }

  @Test(
    .enabled(if: geteuid() == 0, "needs root, to give a folder away"), .timeLimit(.minutes(15)))
  func `another user's open data directory is refused`() throws {
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    try Tool.run("chmod", ["750", data])
    try Tool.run("chown", ["65534", data])
    let refused = try Program.coordinator.run(["serve", "--data", data, "--port", "0"])
    #expect(refused.status == 1)
    #expect(refused.standardError.contains("has mode 750 and belongs to user 65534"))
    #expect(refused.standardError.contains("chmod -R go="))
    #expect(try FileManager.default.contentsOfDirectory(atPath: data).isEmpty)
    try Tool.run("chmod", ["700", data])
    let running = try RunningCoordinator(data: data)
    running.kill()
  }
}
