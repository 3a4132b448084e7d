import FarmAPI
import HTTP

/// Checks how deep lists and objects are nested in a body before the body is decoded.
enum JSONDepth {
  /// Rejects a body whose nesting is deeper than `limit`.
  static func check(_ body: some Sequence<UInt8>, limit: Int) throws(HTTPError) {
    var depth = 0
    var isInText = false
    var isEscaped = false
    for byte in body {
      if isInText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInText = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInText = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        guard depth <= limit else {
          throw HTTPError(
            .badRequest, type: ProblemType.malformedRequest.rawValue,
            detail: "lists and objects are nested more than \(limit) levels deep")
        }
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
    }
  }
}
