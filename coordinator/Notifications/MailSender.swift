import FarmAPI
import Foundation
import Processes
import Threads

/// Sends mail through the system's `sendmail`. No shell is involved.
struct MailSender: Sendable {
  let program: String
  /// How long it may run.
  let timeout: Duration

  /// The size of a pipe's buffer in Linux.
  private static let pipeSize = 64 << 10

  /// Sends a notification once.
  ///
  /// - Throws: ``NotificationFailure`` if the program does not accept it.
  func send(_ notification: StoredNotification, to address: MailAddress) async throws {
    let message = MailMessage(
      try FarmCoding.decode(JobNotification.self, from: notification.body), to: address)
    try await BlockingThread.run(named: "mail") { [self] in
      try run(Data(message.text.utf8), address)
    }
  }

  private func run(_ message: Data, _ address: MailAddress) throws {
    // The message fits in the pipe, so writing it never waits for the program, which may end without reading it.
    guard message.count < Self.pipeSize, let ends = try? Descriptors.pipe() else {
      throw NotificationFailure("cannot pass the message to \(program)")
    }
    let (input, output) = ends
    defer { close(input) }
    let written = message.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
    close(output)
    guard written == message.count else {
      throw NotificationFailure("cannot pass the message to \(program)")
    }
    let child: ChildProcess
    do {
      child = try ProcessStarter.shared.start(
        Spawn(
          program, [program, "-i", address.text], descriptors: [.copy(input), .null, .null],
          environment: ChildEnvironment.allowed(), subject: program))
    } catch {
      throw NotificationFailure("\(error)")
    }
    guard child.ends(within: timeout) else {
      child.killGroup()
      child.wait()
      throw NotificationFailure("\(program) did not end within \(timeout.components.seconds) s")
    }
    switch child.wait() {
    case .exited(0): break
    case .exited(let code): throw NotificationFailure("\(program) ended with the exit code \(code)")
    case .signaled(let signal):
      throw NotificationFailure("\(program) was ended by the signal \(signal)")
    }
  }
}
