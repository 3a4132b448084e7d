import CLinux
import Foundation

/// What a media process may use. It sets these on itself before it opens anything.
struct ChildLimits: Hashable, Sendable {
  /// Bytes of address space.
  var memory: UInt
  /// Bytes that any file it writes may have.
  var fileSize: UInt
  /// Seconds of processor time.
  var processorTime: UInt
  /// Open files.
  var openFiles: UInt = 512

  /// Reading packets: a whole film takes seconds. It writes nothing but its answer and messages.
  static let probe = ChildLimits(memory: 4 << 30, fileSize: 64 << 20, processorTime: 1800)
  /// Drawing letters and pictures, a few seconds' work.
  static let typeset = ChildLimits(memory: 4 << 30, fileSize: 1 << 30, processorTime: 900)
  /// Decoding sound, an hour of it in well under a minute; but an hour that plays at another speed and keeps its pitch
  /// takes some ten minutes, and six times that where it is measured again and again for its loudness.
  static let mix = ChildLimits(memory: 4 << 30, fileSize: 16 << 30, processorTime: 28_800)
  /// Copying packets.
  static let assemble = ChildLimits(memory: 4 << 30, fileSize: 4 << 40, processorTime: 14400)

  /// Sets the limits on this process, for good, and lets it die with the coordinator.
  func apply() {
    _ = sheaf_die_with_parent()
    _ = sheaf_gain_no_privileges()
    set(RLIMIT_AS, memory)
    set(RLIMIT_FSIZE, fileSize)
    set(RLIMIT_CPU, processorTime)
    set(RLIMIT_NOFILE, openFiles)
    set(RLIMIT_CORE, 0)
  }

  private func set(_ name: __rlimit_resource, _ wanted: UInt) {
    let resource = __rlimit_resource_t(name.rawValue)
    var limit = rlimit()
    getrlimit(resource, &limit)
    // A lower limit from outside stays.
    let value = min(rlim_t(wanted), limit.rlim_max)
    limit = rlimit(rlim_cur: value, rlim_max: value)
    setrlimit(resource, &limit)
  }
}
