import CMicroHTTPD
import Foundation

/// Whether the head of a request consists of what libmicrohttpd read from it and of nothing else.
///
/// libmicrohttpd 0.9.75 takes lines that end in a bare LF, joins folded lines (to the field's *name*), cuts values at a
/// NUL, and skips surplus spaces, none of which shows in what it reports. It parses a head in place, though: each CR, LF,
/// separator and colon becomes a NUL, and what it reports are pointers into the head. In a head that RFC 9112 allows, each
/// piece therefore begins a known number of bytes after the one before, and the last line ends where the head does. Any
/// other head does not add up.
///
/// Its own strict mode (`MHD_OPTION_STRICT_FOR_CLIENT`) would not help: in 0.9.75 it asks for a `Host` and refuses blanks in
/// targets, which ``RequestRules`` do as well, and answers the former with its status line and headers twice.
///
/// One thing cannot be told apart afterwards: a NUL right before a bare LF looks like CR LF.
struct HeadLayout {
  let connection: OpaquePointer
  /// The method, which begins the head.
  let method: UnsafePointer<CChar>
  /// The protocol's version, which ends the request line.
  let version: UnsafePointer<CChar>
  /// How many bytes the request target had before libmicrohttpd decoded it.
  let targetLength: Int

  private static let lineEnd = 2
  private static let space = 1

  /// Walks through the head. Called before its body is read, while all of it is in memory.
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

  /// How far the head has been accounted for.
  private struct Walk {
    /// Where the next field must begin.
    var next: Int
    var isExact: Bool

    /// Accounts for a field; false where it is not where it must be.
    mutating func pass(
      _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?, from start: UnsafeRawPointer
    ) -> Bool {
      isExact = false
      guard let name, let value, start.distance(to: UnsafeRawPointer(name)) == next else {
        return false
      }
      // The colon is a NUL by now; blanks may follow it.
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
