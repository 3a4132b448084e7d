import FarmAPI
import Foundation

/// Measures the free space on the disk with the data directory: the ledger, chunks, assets and outputs.
final class DiskSpace: Sendable {
  let path: String
  /// The bytes that new work must leave free, so that running work can finish.
  let reserve: Int64

  /// Creates an object that measures the disk at `path`, and keeps `reserve` bytes of it free.
  init(_ path: String, reserve: Int64) {
    self.path = path
    // The ledger's log always needs some space.
    self.reserve = max(reserve, 1 << 20)
  }

  /// The error if new work of `needed` bytes cannot start; `nil` if there is room. Makes one system call.
  func shortage(for needed: Int64 = 0) -> StorageError? {
    guard let information = information() else { return nil }
    let missing = missing(for: needed, of: information)
    if missing > 0 {
      let purpose = needed > 0 ? "\(needed) bytes and the reserve" : "the reserve"
      return StorageError(
        .full,
        "the disk of the data directory (ledger, chunks, assets, outputs) has "
          + "\(Self.free(information)) bytes left, too few for \(purpose) of \(reserve): free "
          + "\(missing) bytes, or start serve with a smaller --reserve-bytes")
    }
    // A file system that creates inodes on demand reports that it has none at all.
    if information.f_files > 0, information.f_favail < 64 {
      return StorageError(
        .full,
        "the disk of the data directory has \(information.f_favail) inodes left: remove some files")
    }
    return nil
  }

  /// The number of bytes that are missing for `needed` bytes and the reserve; 0 if there is room or that is unknown.
  func missing(for needed: Int64 = 0) -> Int64 {
    information().map { missing(for: needed, of: $0) } ?? 0
  }

  private func missing(for needed: Int64, of information: statvfs) -> Int64 {
    let (wanted, isTooMuch) = reserve.addingReportingOverflow(needed)
    return isTooMuch ? .max : max(0, wanted - Self.free(information))
  }

  private static func free(_ information: statvfs) -> Int64 {
    Int64(clamping: UInt64(information.f_bavail) &* UInt64(information.f_frsize))
  }

  /// The disk's statistics. A disk that does not report how full it is will report it when it is written to.
  private func information() -> statvfs? {
    var information = statvfs()
    return statvfs(path, &information) == 0 ? information : nil
  }

  /// The disk as the farm reports it; `nil` if the system does not say.
  var status: FarmStatus.Disk? {
    information().map { information in
      FarmStatus.Disk(
        free: Self.free(information),
        total: Int64(clamping: UInt64(information.f_blocks) &* UInt64(information.f_frsize)),
        reserve: reserve)
    }
  }

  /// Throws if there is no room for new work of `needed` bytes.
  func assure(_ needed: Int64 = 0) throws(StorageError) {
    if let shortage = shortage(for: needed) { throw shortage }
  }
}
