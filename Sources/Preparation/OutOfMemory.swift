/// How a media process ends that is refused memory.
package enum OutOfMemory {
  /// Its exit code: `sheaf_code_without_memory` of CLinux.
  package static let exitCode: Int32 = 77
}
