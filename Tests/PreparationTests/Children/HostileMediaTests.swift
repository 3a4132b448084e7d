import FarmAPI
import Foundation
import Preparation
import Support
import Testing

/// Damaged media of every kind, opened by the real child processes.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct HostileMediaTests {
  @Test(arguments: HostileMedia.all)
  func `damaged media yields an index, or an error that names the file`(kind: HostileMedia)
    async throws
  {
    let folder = try TemporaryDirectory()
    let sound = try kind.bytes(in: folder)
    var generator = SeededRandom(seed: 4)
    let files = try (0..<20).map { number in
      let name = "damaged-\(number).\(kind.name)"
      try Data(HostileMedia.damaged(sound, by: &generator))
        .write(to: URL(fileURLWithPath: folder.path(name)))
      return ProbeRequest(path: folder.path(name), name: name)
    }
    let children = MediaChildren(limit: 2, executable: Program.mediaChildren)
    let answers = try await children.indexes(of: files)
    #expect(answers.count == files.count)
    for (file, answer) in zip(files, answers) {
      guard case .failure(let error) = answer else { continue }
      #expect(error.failure.message.contains(file.name), "\(error.failure.message)")
    }
  }
}
