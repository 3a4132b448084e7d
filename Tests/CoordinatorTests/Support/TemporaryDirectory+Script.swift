import Foundation
import Support

extension TemporaryDirectory {
  /// Writes a shell script as an executable, and returns its path.
  func script(_ body: String) throws -> String {
    let path = path("child")
    try "#!/bin/sh\n\(body)\n".write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }
}
