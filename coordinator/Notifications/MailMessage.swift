import FarmAPI
import Foundation
import Timeline

/// A mail about a job, in the format of RFC 5322.
///
/// Names come from outside. They are made printable, so they cannot end a line, and a subject outside ASCII is encoded
/// (RFC 2047).
struct MailMessage: Sendable {
  /// The message with its headers and line feeds.
  let text: String

  init(_ notification: JobNotification, to address: MailAddress) {
    let job = notification.job
    let name = PrintableText(job.name).description
    var lines = [
      "Job: \(name)", "Id: \(PrintableText(job.id))", "State: \(job.state.rawValue)",
      "Time: \(notification.time.formatted(.iso8601))",
    ]
    if let submitter = job.submitter { lines.append("Submitter: \(PrintableText(submitter))") }
    if let frames = job.frameCount { lines.append("Frames: \(frames)") }
    if let failure = job.failure {
      lines += ["", "\(failure.code.rawValue):"]
      lines += PrintableText.lines(of: failure.message).map(\.description)
    }
    let headers = [
      "To: \(address.text)",
      "Subject: \(Self.encoded("Sheaf: \(name) \(notification.event.rawValue)"))",
      "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: base64", "Auto-Submitted: auto-generated",
      "Sheaf-Delivery: \(notification.id)",
    ]
    // Encoded, it still fits in a pipe of 64 KiB.
    let text = lines.joined(separator: "\n").shortened(toBytes: 32 << 10)
    let body = Data((text + "\n").utf8)
      .base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
    self.text = headers.joined(separator: "\n") + "\n\n" + body + "\n"
  }

  /// The text as it is if it is short and plain, or in encoded words of at most 75 characters.
  private static func encoded(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { (0x20...0x7e).contains($0) } && !text.contains("=?")
    if isPlain, text.utf8.count <= 70 { return text }
    var words: [String] = []
    var part = ""
    // A character is not divided. One that alone is too long is cut.
    for scalar in text.unicodeScalars {
      if part.utf8.count + scalar.utf8.count > 42 {
        words.append(part)
        part = ""
      }
      part.unicodeScalars.append(scalar)
    }
    words.append(part)
    return words.map { "=?UTF-8?B?\(Data($0.utf8).base64EncodedString())?=" }
      .joined(separator: "\n ")
  }
}

extension Unicode.Scalar {
  fileprivate var utf8: String.UTF8View { String(self).utf8 }
}
