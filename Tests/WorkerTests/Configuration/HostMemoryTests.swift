import Support
import Testing
import sheaf_worker

/// The memory that a worker offers by default.
@Suite(.mayBlock) struct HostMemoryTests {
  @Test func `the host's memory is read from meminfo`() {
    let text = """
      MemTotal:       16314436 kB
      MemFree:         1234567 kB
      MemAvailable:    9876543 kB
      """
    #expect(HostMemory.total(inMeminfo: text) == 16_314_436 * 1024)
    #expect(HostMemory.total(inMeminfo: "MemFree: 12 kB\n") == nil)
    #expect(HostMemory.total(inMeminfo: "MemTotal: many kB\n") == nil)
  }

  @Test func `the limits of a control group and all its ancestors apply`() {
    #expect(
      HostMemory.limitFiles(ofGroups: "0::/system.slice/sheaf.service\n") == [
        "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/system.slice/memory.max",
        "/sys/fs/cgroup/system.slice/sheaf.service/memory.max",
      ])
    #expect(HostMemory.limitFiles(ofGroups: "0::/\n") == ["/sys/fs/cgroup/memory.max"])
  }

  @Test func `the memory controller of version 1 has its own folder`() {
    let text = """
      12:cpu,cpuacct:/docker/4f
      7:memory:/docker/4f
      1:name=systemd:/docker/4f
      0::/system.slice
      """
    #expect(
      HostMemory.limitFiles(ofGroups: text) == [
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/docker/4f/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/system.slice/memory.max",
      ])
  }

  @Test(arguments: [
    ("4294967296\n", 4_294_967_296), ("max\n", nil), ("9223372036854771712\n", nil), ("", nil),
    ("0\n", nil),
  ])
  func `a control group's limit is a number or none`(text: String, limit: Int?) {
    #expect(HostMemory.limit(text) == limit)
  }

  @Test(arguments: [
    (10_000 << 20, 9_000 << 20), (4 << 30, 3584 << 20), (512 << 20, 256 << 20),
  ])
  func `the reserve is the larger of 512 MiB and a tenth, but at most half`(
    total: Int, usable: Int
  ) {
    #expect(HostMemory.afterReserve(total) == usable)
  }
}
