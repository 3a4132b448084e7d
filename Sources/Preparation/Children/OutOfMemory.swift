/// The way in which a media process ends when it runs out of memory.
package enum OutOfMemory {
  /// Its exit code: `sheaf_code_without_memory` of CLinux.
  package static let exitCode: Int32 = 77
}
