import Foundation
import Media

extension MediaError {
  /// Whether the error means that the disk is full.
  var isForWantOfSpace: Bool {
    code == .writeFailed && [ENOSPC, EDQUOT].contains(systemError)
  }
}
