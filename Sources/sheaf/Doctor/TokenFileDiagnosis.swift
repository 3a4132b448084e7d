import Foundation

/// Checks who can read the file with the token.
package enum TokenFileDiagnosis {
  /// Returns `nil` if the token comes from elsewhere.
  static func check(_ settings: FarmSettings) -> Diagnosis? {
    guard case .file(let path) = settings.token.value else { return nil }
    var status = stat()
    return stat(path, &status) == 0 ? diagnosis(of: path, mode: status.st_mode) : nil
  }

  /// Judges the permissions of the file.
  package static func diagnosis(of path: String, mode: UInt32) -> Diagnosis {
    guard mode & (S_IRWXG | S_IRWXO) == 0 else {
      return .warning(
        "token file", "other users can read \(path)",
        fix: "`chmod 600 \(CommandLineText.line([path]))`, and replace the token if they may have")
    }
    return .ok("token file", "only its owner can read \(path)")
  }
}
