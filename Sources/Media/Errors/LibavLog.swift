import CFFmpeg
import Glibc

/// Keeps libav's log off the terminal, and the last error line of each thread for error messages.
enum LibavLog {
  /// Touching this installs the log callback, once per process.
  static let installed: Void = av_log_set_callback { _, level, format, arguments in
    guard level <= AV_LOG_WARNING, let format, let arguments else { return }
    guard level <= AV_LOG_ERROR || isOptionComplaint(String(cString: format)) else { return }
    let capacity = 256
    guard let line = malloc(capacity)?.assumingMemoryBound(to: CChar.self) else { return }
    vsnprintf(line, capacity, format, arguments)
    free(pthread_getspecific(key))
    pthread_setspecific(key, line)
  }

  /// Whether a line says that an encoder's library does not take an option, of which libav only warns.
  static func isOptionComplaint(_ line: String) -> Bool {
    ["Error parsing option", "Unknown option", "Invalid value for"].contains { line.hasPrefix($0) }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { free($0) }
    return key
  }()

  /// The last error that libav logged on this thread since the last call, without its line end.
  static func takeLastError() -> String? {
    guard let line = pthread_getspecific(key) else { return nil }
    pthread_setspecific(key, nil)
    defer { free(line) }
    var text = String(cString: line.assumingMemoryBound(to: CChar.self))
    while text.last?.isNewline == true || text.last == " " { text.removeLast() }
    return text.isEmpty ? nil : text
  }
}
