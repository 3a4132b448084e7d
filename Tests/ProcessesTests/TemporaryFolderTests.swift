import Foundation
import Processes
import Testing

/// Folders for temporary files, and what killed processes leave of them.
@Suite(.serialized) struct TemporaryFolderTests {
  /// A folder as a killed process leaves it.
  private func leave(_ name: String) throws -> String {
    let path = "\(TemporaryFolder.parent)/sheaf-ledger-\(name)-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data("a copy".utf8).write(to: URL(filePath: "\(path)/file"))
    return path
  }

  private func exists(_ path: String) -> Bool {
    var information = stat()
    return lstat(path, &information) == 0
  }

  @Test func `a folder is private, and goes with its object`() throws {
    var folder: TemporaryFolder? = try TemporaryFolder(.ledger)
    let path = try #require(folder?.path)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    try Data("a copy".utf8).write(to: URL(filePath: "\(path)/file"))
    folder = nil
    #expect(!exists(path))
  }

  @Test func `a sweep removes what nobody uses, and nothing else`() throws {
    let used = try TemporaryFolder(.ledger)
    let left = try leave("left")
    let target = try leave("target")
    let link = "\(TemporaryFolder.parent)/sheaf-ledger-link-\(UUID().uuidString)"
    let other = try TemporaryFolder(.layers)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    defer { unlink(link) }
    TemporaryFolder.sweep(.ledger) { $0 != target }
    #expect(!exists(left))
    #expect(exists("\(target)/file"), "a link to it is not followed")
    #expect(exists(link))
    #expect(exists(used.path))
    #expect(exists(other.path))
    TemporaryFolder.sweep(.ledger)
    #expect(!exists(target))
    withExtendedLifetime((used, other)) {}
  }
}
