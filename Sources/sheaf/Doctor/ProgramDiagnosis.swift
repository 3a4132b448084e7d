import FarmAPI
import Foundation
import Processes
import Threads

/// Checks the programs that `sheaf render` starts.
package enum ProgramDiagnosis {
  /// The outcome of looking for a program.
  package enum Finding: Hashable, Sendable {
    /// No executable file at the path.
    case missing(String)
    /// It does not run, with the reason in words.
    case broken(String, because: String)
    /// It printed this version.
    case version(String)
  }

  /// The programs.
  private static let names = ["sheaf-coordinator", "sheaf-worker", "sheaf-media"]
  /// How long a program may take to print its version.
  private static let patience = Duration.seconds(10)

  /// Runs the programs beside this one.
  static func check() async throws -> Diagnosis {
    var findings: [(String, Finding)] = []
    for name in names {
      let finding = try await BlockingThread.runUntilCancelled(named: "version") { find(name) }
      findings.append((name, finding))
    }
    return diagnosis(of: findings)
  }

  /// Judges what was found, by program.
  package static func diagnosis(of findings: [(program: String, Finding)]) -> Diagnosis {
    for case (let name, .missing(let path)) in findings {
      return .failed("programs", "cannot find \(name): \(path)", fix: "install it next to sheaf")
    }
    for case (let name, .broken(let path, let reason)) in findings {
      return .failed(
        "programs", "\(name) does not run: \(path): \(reason)", fix: "install Sheaf again")
    }
    for case (let name, .version(let version)) in findings where version != SheafVersion.current {
      return .failed(
        "programs", "\(name) has version \(version), but sheaf \(SheafVersion.current)",
        fix: "install all programs of the same version")
    }
    let names = findings.map(\.program).formatted(.list(type: .and))
    return .ok("programs", "\(names) have the same version as sheaf, \(SheafVersion.current)")
  }

  /// Blocks until the program has ended.
  private static func find(_ name: String) -> Finding {
    let path = SiblingProgram.path(of: name)
    guard access(path, X_OK) == 0 else { return .missing(path) }
    do throws(ProcessError) {
      let (reading, writing) = try Descriptors.pipe()
      let output = FileHandle(fileDescriptor: reading, closeOnDealloc: true)
      let child: ChildProcess
      do {
        defer { close(writing) }
        child = try Spawn(
          path, [path, "--version"], descriptors: [.null, .copy(writing), .null], subject: path
        ).start()
      }
      guard child.ends(within: patience) else {
        child.killGroup()
        child.wait()
        return .broken(
          path, because: "it printed no version within \(patience.components.seconds) s")
      }
      guard child.wait() == .exited(0) else {
        return .broken(path, because: "it cannot print its version")
      }
      let text = String(decoding: (try? output.read(upToCount: 256)) ?? Data(), as: UTF8.self)
      let words = text.split(whereSeparator: \.isWhitespace)
      guard words.count == 2, words[0] == name else {
        return .broken(path, because: "it cannot print its version")
      }
      return .version(String(words[1]))
    } catch {
      return .broken(path, because: error.message)
    }
  }
}
