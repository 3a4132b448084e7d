import Foundation

/// A new file that only this user can read.
struct SecretFile {
  private let path: String
  private let file: FileHandle

  /// Creates the file with mode 0600.
  ///
  /// - Throws: ``StorageError``, also if something exists at the path, even a link to nothing.
  init(creating path: String) throws(StorageError) {
    self.path = path
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      let number = errno
      throw StorageError(
        .unwritable,
        number == EEXIST
          ? "the file already exists: \(path): choose another --out, or remove the file"
          : "cannot create the file: \(path): \(String(cString: strerror(number)))")
    }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Writes the content, and waits until it is on the disk.
  func write(_ text: String) throws(StorageError) {
    do {
      // The umask may have removed permissions that the file needs.
      guard fchmod(file.fileDescriptor, 0o600) == 0 else { throw POSIXError(.EPERM) }
      try file.write(contentsOf: Data(text.utf8))
      try file.synchronize()
    } catch {
      throw StorageError(.unwritable, "cannot write the file: \(path): \(error)")
    }
  }

  func remove() { unlink(path) }
}
