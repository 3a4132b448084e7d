/// What a chaos run did and how it ended.
struct ChaosReport: Sendable {
  let seed: UInt64
  /// How often each kind of fault was let loose.
  var drawn: [Fault: Int] = [:]
  /// How often it met something that it could break.
  var met: [Fault: Int] = [:]
  /// How the jobs ended: the state, and whether the file was the undisturbed one.
  var completed = 0
  var equal = 0
  var problems: [String] = []

  init(seed: UInt64) { self.seed = seed }

  /// The report as docs/reliability.md has it.
  var markdown: String {
    let rows = Fault.allCases.compactMap { fault in
      drawn[fault].map { "| \(fault.rawValue) | \($0) | \(met[fault, default: 0]) |" }
    }
    return """
      Seed \(seed), \(drawn.values.reduce(0, +)) faults in \(completed) jobs. Jobs that completed: \
      \(completed). Files with the SHA-256 of the undisturbed run: \(equal).

      | fault | times | met something |
      |---|---|---|
      \(rows.joined(separator: "\n"))
      """ + problems.map { "\n- " + $0 }.joined() + "\n"
  }
}
