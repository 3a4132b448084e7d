import Foundation
import Processes
import Support
import Testing

/// How the end of a child is reported.
@Suite(.mayBlock) struct ProcessEndingTests {
  /// Both limits are then equal, as they are after SIGXCPU.
  @Test func `a kill from outside is not taken for an inherited limit on processor time`() throws {
    let process = Subprocess("/bin/sh", ["-c", "ulimit -t 1000; kill -KILL $$"])
    try process.run()
    #expect(process.wait() == .signaled(SIGKILL))
  }
}
