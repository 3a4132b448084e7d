import CSQLite
import Glibc
import Synchronization

/// Lets tests make the writes of every connection of this process fail.
package enum DiskWrites {
  /// Returns how many of the bytes to be written to the file at a path reach it. Fewer than all means a failed write;
  /// truncating a file counts as one byte.
  package typealias Judge = @Sendable (_ path: String, _ byteCount: Int) -> Int

  private static let judges = Mutex<[String: Judge]>([:])
  private static let isInstalled = Mutex(false)

  /// Lets `judge` decide about writes below a folder, in addition to the judges of other folders; `nil` removes the
  /// judge.
  package static func judge(under folder: String, by judge: Judge?) {
    isInstalled.withLock { isInstalled in
      if !isInstalled { install() }
      isInstalled = true
    }
    judges.withLock { $0[folder] = judge }
  }

  /// Replaces the system calls that the unix VFS writes with (sqlite3_vfs.xSetSystemCall).
  private static func install() {
    typealias Positioned =
      @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int
    typealias Plain = @convention(c) (Int32, UnsafeRawPointer?, Int) -> Int
    typealias Cut = @convention(c) (Int32, off_t) -> Int32
    let positioned: Positioned = { descriptor, bytes, count, offset in
      let allowed = DiskWrites.allowance(descriptor, count)
      let written = pwrite(descriptor, bytes, allowed, offset)
      return allowed == count ? written : DiskWrites.failed(-1)
    }
    let plain: Plain = { descriptor, bytes, count in
      let allowed = DiskWrites.allowance(descriptor, count)
      let written = write(descriptor, bytes, allowed)
      return allowed == count ? written : DiskWrites.failed(-1)
    }
    let cut: Cut = { descriptor, length in
      DiskWrites.allowance(descriptor, 1) == 1
        ? ftruncate(descriptor, length) : DiskWrites.failed(-1)
    }
    replace("pwrite", unsafeBitCast(positioned, to: sqlite3_syscall_ptr.self))
    replace("pwrite64", unsafeBitCast(positioned, to: sqlite3_syscall_ptr.self))
    replace("write", unsafeBitCast(plain, to: sqlite3_syscall_ptr.self))
    replace("ftruncate", unsafeBitCast(cut, to: sqlite3_syscall_ptr.self))
  }

  private static func replace(_ name: String, _ call: sqlite3_syscall_ptr) {
    guard let system = sqlite3_vfs_find(nil) else { return }
    _ = system.pointee.xSetSystemCall?(system, name, call)
  }

  private static func allowance(_ descriptor: Int32, _ count: Int) -> Int {
    let judges = judges.withLock { $0 }
    guard !judges.isEmpty else { return count }
    var name = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/fd/\(descriptor)", &name, name.count)
    guard length > 0 else { return count }
    let path = String(decoding: name[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    // Called without the lock, because a judge may wait.
    return judges.filter { path.hasPrefix($0.key) }.values
      .reduce(count) { min($0, max(0, $1(path, count))) }
  }

  private static func failed<Result>(_ result: Result) -> Result {
    errno = EIO
    return result
  }
}
