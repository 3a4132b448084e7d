import Foundation
import Processes

/// Starts workers as processes on this host.
package actor CommandDriver: ScaleDriver {
  private let template: WorkerTemplate
  private var children: [String: ChildProcess] = [:]
  private var count = 0
  /// Distinguishes the workers of this run from those of earlier ones.
  private let run = String(UInt32.random(in: .min ... .max), radix: 36)

  package init(_ template: WorkerTemplate) { self.template = template }

  package func workers() -> [String: StartedWorker] {
    for (name, child) in children where child.hasEnded {
      child.wait()
      children[name] = nil
    }
    return children.mapValues { _ in StartedWorker(isRunning: true) }
  }

  package func start(_ count: Int, lifetime: Int) async throws -> [String] {
    let stagger = Stagger(lifetime: lifetime)
    var names: [String] = []
    for index in 0..<count {
      if index > 0 { try await Task.sleep(for: Stagger.pause(starting: count)) }
      self.count += 1
      let name = "\(template.name)-\(run)-\(self.count)"
      let line = template.line(named: name, lifetime: "\(stagger.lifetime(at: index))")
      do throws(ProcessError) {
        // The kernel kills some of Sheaf's processes when the thread that started them ends.
        children[name] = try ProcessStarter.shared.start(
          Spawn(
            "/bin/sh", ["sh", "-c", line], descriptors: [.null, .null, .copy(2)],
            environment: template.environment, subject: name))
      } catch {
        guard names.isEmpty else { return names }
        throw CommandFailure(
          .failed, "cannot start a worker", on: error.description,
          remedy: "raise the limit on processes, or lower --max")
      }
      names.append(name)
    }
    return names
  }
}
