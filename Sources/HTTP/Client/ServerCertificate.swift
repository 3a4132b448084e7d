import CCurl
import Foundation

/// The certificate that a server presented, and that the client accepted.
public struct ServerCertificate: Hashable, Sendable {
  /// The distinguished name of its holder, e.g. `CN = farm.example`.
  public let subject: String
  /// The time when it expires.
  public let expiry: Date

  /// Reads what libcurl knows of the server's certificate. Returns `nil` if it knows none.
  init?(of handle: EasyHandle) {
    var fields: [String: String] = [:]
    var next = sheaf_curl_certificate(handle.pointer)
    while let entry = next {
      if let data = entry.pointee.data {
        let parts = String(cString: data).split(separator: ":", maxSplits: 1)
        if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
      }
      next = UnsafePointer(entry.pointee.next)
    }
    guard let end = fields["Expire date"], let expiry = Self.date(end) else { return nil }
    subject = fields["Subject"] ?? ""
    self.expiry = expiry
  }

  /// Reads a time as OpenSSL prints it: `Nov  7 11:29:26 2026 GMT`.
  static func date(_ text: String) -> Date? {
    let parts = text.split(separator: " ")
    guard parts.count == 5, parts[4] == "GMT" else { return nil }
    return HTTPDate.date(
      "\(parts[1]) \(parts[0]) \(parts[3]) \(parts[2])", format: "d MMM yyyy HH:mm:ss")
  }
}
