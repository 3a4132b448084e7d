import HTTP
import Threads

/// Checks whether a coordinator can listen on this host.
package enum PortDiagnosis {
  /// The program that answers at a port.
  package enum Answer: Hashable, Sendable {
    /// A coordinator, at this address.
    case coordinator(String)
    /// A server that uses TLS. Its certificate is for a name that this host does not know.
    case secure
    /// Another program.
    case other
  }

  /// The default port of a coordinator.
  private static let port: UInt16 = 7420

  /// Tries the ports that a coordinator uses.
  ///
  /// - Returns: the result, and the address of a coordinator that answers at the default port.
  static func check() async throws -> (Diagnosis, coordinator: String?) {
    let (any, standard) = try await BlockingThread.runUntilCancelled(named: "ports") {
      (PortAvailability(of: 0, at: "127.0.0.1"), PortAvailability(of: port))
    }
    let answer = standard == .taken ? await self.answer() : nil
    let diagnosis = diagnosis(loopback: any, standard: standard, answer: answer)
    if case .coordinator(let address) = answer { return (diagnosis, address) }
    return (diagnosis, nil)
  }

  private static func answer() async -> Answer {
    let address = CoordinatorAddress.standard.url
    if await CoordinatorCall(to: address).isHealthy { return .coordinator(address) }
    let mismatch = await SchemeMismatch.find(at: address)
    return mismatch == nil ? .other : .secure
  }

  /// Judges the availability of any loopback port, which `sheaf render` needs, and of the default port.
  package static func diagnosis(
    loopback: PortAvailability, standard: PortAvailability, answer: Answer?
  ) -> Diagnosis {
    if loopback != .free {
      return .failed(
        "ports", "cannot listen on 127.0.0.1, which `sheaf render` requires\(reason(loopback))",
        fix: "bring up the interface `lo` (`ip link set lo up`), and allow this process to open "
          + "sockets")
    }
    switch (standard, answer) {
    case (.free, _): return .ok("ports", "a coordinator can listen on port \(port)")
    case (.refused, _):
      return .warning(
        "ports", "a coordinator cannot listen on port \(port)\(reason(standard))",
        fix: "start it with another one: `sheaf-coordinator serve --port N`")
    case (.taken, .coordinator(let address)):
      return .ok("ports", "a coordinator answers at \(address)")
    case (.taken, .secure):
      return .ok("ports", "a server that uses TLS answers on port \(port)")
    case (.taken, _):
      return .warning(
        "ports", "another program uses port \(port)",
        fix: "find it with `ss -ltnp 'sport = :\(port)'`, or start the coordinator with another "
          + "port: `sheaf-coordinator serve --port N`")
    }
  }

  private static func reason(_ availability: PortAvailability) -> String {
    if case .refused(let reason) = availability { ": \(reason)" } else { "" }
  }
}
