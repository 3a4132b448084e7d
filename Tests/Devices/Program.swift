import Foundation

/// Checks the module Capture with the virtual devices of `scripts/devices`. Exits with 1 if a check fails.
///
/// With the argument `confined`, it captures in a sandbox that allows only what the module needs.
@main struct Program {
  static func main() {
    let isConfined = CommandLine.arguments.dropFirst().first == "confined"
    let checks = isConfined ? ConfinedChecks.all : VideoChecks.all + SoundChecks.all
    var failures = 0
    for (name, check) in checks {
      do {
        print("\(name):")
        try check()
      } catch {
        failures += 1
        print("  FAILED: \(error)")
      }
    }
    print("\(checks.count) checks, \(failures) failed")
    exit(failures == 0 ? 0 : 1)
  }
}
