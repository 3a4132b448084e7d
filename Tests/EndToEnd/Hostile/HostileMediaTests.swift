import Foundation
import Processes
import Support
import Testing

/// Damaged media, from submission to file.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct HostileMediaTests {
  @Test func `damaged media is rendered or rejected by name, and the farm stays up`() throws {
    let folder = try TemporaryDirectory()
    let farm = try WorkedFarm(in: folder)
    var generator = SeededRandom(seed: 5)
    for kind in HostileMedia.all where kind.isVideo {
      let sound = try kind.bytes(in: folder)
      for number in 0..<(Thoroughness.isFull ? 3 : 1) {
        let name = "damaged-\(number).\(kind.name)"
        try Data(HostileMedia.damaged(sound, by: &generator))
          .write(to: URL(fileURLWithPath: folder.path(name)))
        let job = try farm.submit(
          #"{"version": 1, "sequence": [{"clip": "\#(name)"}], "export": {"video": {"codec": "h264"}}}"#
        )
        guard case .exited(let code) = job.wait() else {
          Issue.record("\(kind): a signal ended the submission")
          continue
        }
        #expect(code == 0 || farm.complaint.contains(name), "\(kind): \(farm.complaint)")
      }
    }
    #expect(farm.coordinator.isRunning)
    #expect(farm.worker.isRunning)
  }
}
