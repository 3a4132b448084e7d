import CMicroHTTPD
import Foundation

/// Checks that a request's head consists only of what libmicrohttpd parsed from it.
///
/// libmicrohttpd 0.9.75 accepts lines that end in a bare LF, joins folded lines (to the field's *name*), cuts values at
/// a NUL, and skips surplus spaces. It reports none of this. However, it parses a head in place: each CR, LF, separator
/// and colon becomes a NUL, and the reported strings are pointers into the head. In a head that RFC 9112 allows, each
/// piece therefore starts a known number of bytes after the previous one, and the last line ends where the head does.
/// In any other head, the distances do not add up.
///
/// libmicrohttpd's strict mode (`MHD_OPTION_STRICT_FOR_CLIENT`) would not help. In 0.9.75, it requires a `Host` and
/// rejects spaces in targets, which ``RequestRules`` does as well, and it answers a missing `Host` with the status line
/// and headers twice.
///
/// One case cannot be detected: a NUL directly before a bare LF. libmicrohttpd overwrites CR LF with two NULs, and a
/// bare LF with one, so both leave the same bytes in memory.
struct HeadLayout {
  let connection: OpaquePointer
  /// The method, at the start of the head.
  let method: UnsafePointer<CChar>
  /// The protocol version, at the end of the request line.
  let version: UnsafePointer<CChar>
  /// The length of the request target in bytes, before libmicrohttpd decoded it.
  let targetLength: Int

  private static let lineEnd = 2
  private static let space = 1

  /// Whether the distances add up. Must be called before the body is read, while the whole head is in memory.
  var isExact: Bool {
    let length = sheaf_mhd_head_size(connection)
    let target = strlen(method) + Self.space
    let versionPlace = target + targetLength + Self.space
    guard offset(of: version) == versionPlace else { return false }
    var walk = Walk(next: versionPlace + strlen(version) + Self.lineEnd, isExact: true)
    let start = UnsafeRawPointer(method)
    withUnsafeMutablePointer(to: &walk) { walk in
      var context = (start: start, walk: walk)
      withUnsafeMutablePointer(to: &context) { context in
        _ = MHD_get_connection_values(
          connection, .HEADER_KIND,
          { context, _, name, value in
            let context = context?.assumingMemoryBound(
              to: (start: UnsafeRawPointer, walk: UnsafeMutablePointer<Walk>).self)
            guard let (start, walk) = context?.pointee else { return .NO }
            return walk.pointee.pass(name, value, from: start) ? .YES : .NO
          }, context)
      }
    }
    return walk.isExact && walk.next + Self.lineEnd == length
  }

  private func offset(of piece: UnsafePointer<CChar>) -> Int {
    UnsafeRawPointer(method).distance(to: UnsafeRawPointer(piece))
  }

  /// A position in the head, up to which it has been checked.
  private struct Walk {
    /// The offset at which the next field must start.
    var next: Int
    var isExact: Bool

    /// Moves past a field. Returns false if it is not at the expected place.
    mutating func pass(
      _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?, from start: UnsafeRawPointer
    ) -> Bool {
      isExact = false
      guard let name, let value, start.distance(to: UnsafeRawPointer(name)) == next else {
        return false
      }
      // The colon has become a NUL; spaces may follow it.
      let colon = UnsafeRawPointer(name) + strlen(name)
      let blanks = colon.distance(to: UnsafeRawPointer(value)) - 1
      guard blanks >= 0 else { return false }
      for place in 0..<blanks {
        let byte = colon.load(fromByteOffset: 1 + place, as: UInt8.self)
        guard byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") else { return false }
      }
      next = start.distance(to: UnsafeRawPointer(value)) + strlen(value) + HeadLayout.lineEnd
      isExact = true
      return true
    }
  }
}
