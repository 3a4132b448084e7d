import Foundation
import Processes
import Support
import Testing

/// Folders for temporary files, and the ones that killed processes leave behind.
@Suite(.mayBlock) struct TemporaryFolderTests {
  private static let kind = TemporaryFolder.Kind(rawValue: "copy")
  private static let otherKind = TemporaryFolder.Kind(rawValue: "other")

  /// The folder that contains the test's folders, so that no other process sweeps them.
  private let parent: TemporaryDirectory

  init() throws { parent = try TemporaryDirectory() }

  /// Creates a folder like one that a killed process leaves behind.
  private func leave(_ name: String) throws -> String {
    let path = parent.path("sheaf-copy-\(name)")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data("a copy".utf8).write(to: URL(filePath: "\(path)/file"))
    return path
  }

  private func exists(_ path: String) -> Bool {
    var information = stat()
    return lstat(path, &information) == 0
  }

  @Test func `a folder is private, and is removed with its object`() throws {
    var folder: TemporaryFolder? = try TemporaryFolder(Self.kind, in: parent.path)
    let path = try #require(folder?.path)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    try Data("a copy".utf8).write(to: URL(filePath: "\(path)/file"))
    folder = nil
    #expect(!exists(path))
  }

  @Test func `a folder is in the system's folder by default`() throws {
    let folder = try TemporaryFolder(Self.kind)
    #expect(folder.path.hasPrefix("\(TemporaryFolder.parent)/sheaf-copy-"))
  }

  @Test func `a sweep removes only unused folders`() throws {
    let used = try TemporaryFolder(Self.kind, in: parent.path)
    let left = try leave("left")
    let target = try leave("target")
    let link = parent.path("sheaf-copy-link")
    let other = try TemporaryFolder(Self.otherKind, in: parent.path)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    TemporaryFolder.sweep(Self.kind, in: parent.path) { !$0.hasSuffix("-target") }
    #expect(!exists(left))
    #expect(exists("\(target)/file"), "a link to it is not followed")
    #expect(exists(link))
    #expect(exists(used.path))
    #expect(exists(other.path))
    TemporaryFolder.sweep(Self.kind, in: parent.path)
    #expect(!exists(target))
    withExtendedLifetime((used, other)) {}
  }
}
