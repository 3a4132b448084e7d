import Processes
import Support
import Testing

/// The part of their parent's environment that children receive, and the remains of a process that crashes.
@Suite(.mayBlock) struct ChildEnvironmentTests {
  @Test func `variables that are not on the list are not passed on`() {
    let environment = [
      "HOME": "/home/ada", "LC_ALL": "C.UTF-8", "TZ": "UTC", "SHEAF_TOKEN": "secret",
      "AWS_SECRET_ACCESS_KEY": "secret", "https_proxy": "http://ada:secret@proxy",
      "LD_PRELOAD": "/tmp/spy.so", "GITHUB_TOKEN": "secret",
    ]
    let passed = ChildEnvironment.allowed(from: environment)
    #expect(passed == ["HOME": "/home/ada", "LC_ALL": "C.UTF-8", "TZ": "UTC"])
  }

  @Test func `a process that must not leave a core dump leaves none`() throws {
    #expect(try Program.confined.run(["dump"]).status == 0)
  }
}
