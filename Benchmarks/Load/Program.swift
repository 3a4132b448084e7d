import Foundation

/// Simulates many workers and watchers of a farm, and reports its response times. `Benchmarks/load` and
/// `Benchmarks/cluster` run it.
@main enum Program {
  static func main() async {
    do {
      let configuration = try LoadConfiguration(Array(CommandLine.arguments.dropFirst()))
      raiseFileLimit()
      let report = await Load(configuration).run()
      print(report.markdown)
      exit(report.errors.isEmpty ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("farm-load: \(error)\n".utf8))
      exit(2)
    }
  }

  /// Raises the limit of open files, because each worker and watcher has a connection.
  private static func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
