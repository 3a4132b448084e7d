import CoordinatorSupport
import Crypto
import Support
import Testing
import sheaf_coordinator

@Suite(.mayBlock) struct KnownFileTests {
  private func file(_ number: Int, modified: Int64 = 0) -> KnownFiles.Identity {
    KnownFiles.Identity(
      device: 1, inode: UInt64(number), byteCount: 10, modified: modified)
  }

  private func digest(_ number: Int) -> Digest { Digest.of(Array("\(number)".utf8)) }

  @Test func `a file is known until it is modified`() {
    var files = KnownFiles()
    files.insert(file(1), digest(1))
    #expect(files.digest(of: file(1)) == digest(1))
    #expect(files.digest(of: file(1, modified: 1)) == nil)
    #expect(files.digest(of: file(2)) == nil)
  }

  @Test func `the number of known files is limited, and the latest ones are kept`() {
    var files = KnownFiles(limit: 100)
    for number in 0..<1000 {
      files.insert(file(number), digest(number))
      #expect(files.count <= 100)
    }
    for number in 950..<1000 { #expect(files.digest(of: file(number)) == digest(number)) }
    #expect(files.digest(of: file(0)) == nil)
  }

  @Test func `a file that is looked up stays known`() {
    var files = KnownFiles(limit: 10)
    files.insert(file(0), digest(0))
    for number in 1..<100 {
      files.insert(file(number), digest(number))
      #expect(files.digest(of: file(0)) == digest(0))
    }
  }
}
