import Foundation

/// Linux's figures of this process, with the names that Prometheus' client libraries use.
package struct ProcessFigures: Sendable {
  /// The time that the process has used processors, without its children, in seconds.
  var processorSeconds: Double
  /// The time of its start, in seconds since 1970.
  var startTime: Double
  var residentBytes: Int
  var virtualBytes: Int
  var openDescriptors: Int
  var descriptorLimit: Int

  /// Reads the figures; `nil` if `/proc` cannot be read.
  package init?() {
    guard let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
      let end = stat.lastIndex(of: ")")
    else { return nil }
    // proc(5): the fields after the name, of which the state is the third.
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    guard fields.count > 21, let user = Double(fields[11]), let system = Double(fields[12]),
      let start = Double(fields[19]), let size = Int(fields[20]), let pages = Int(fields[21])
    else { return nil }
    let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
    processorSeconds = (user + system) / ticks
    startTime = Self.bootTime + start / ticks
    virtualBytes = size
    residentBytes = pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    // One of them belongs to the listing itself.
    openDescriptors = max((names?.count ?? 1) - 1, 0)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    descriptorLimit = Int(clamping: limit.rlim_cur)
  }

  /// The time of the host's start, in seconds since 1970.
  private static let bootTime: Double = {
    let stat = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
    let line = stat.split(separator: "\n").first { $0.hasPrefix("btime ") }
    return line.flatMap { Double($0.dropFirst(6)) } ?? 0
  }()

  package func add(to page: inout MetricsPage) {
    page.counter(
      "process_cpu_seconds_total", "Total user and system CPU time spent in seconds.",
      [.init(processorSeconds)])
    page.gauge(
      "process_resident_memory_bytes", "Resident memory size in bytes.", residentBytes)
    page.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", virtualBytes)
    page.gauge("process_open_fds", "Number of open file descriptors.", openDescriptors)
    page.gauge("process_max_fds", "Maximum number of open file descriptors.", descriptorLimit)
    page.gauge(
      "process_start_time_seconds", "Start time of the process since unix epoch in seconds.",
      startTime)
  }
}
