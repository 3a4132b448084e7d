import Foundation
import Media

extension MediaError {
  /// Whether the disk has no room for what was to be written.
  var isForWantOfSpace: Bool {
    code == .writeFailed
      && [ENOSPC, EDQUOT].contains { cause == String(cString: strerror($0)) }
  }
}
