import CFFmpeg
import Glibc

/// Keeps libav's log off the terminal, and stores the last error line of each thread for error messages.
package enum LibavLog {
  /// The beginnings of the lines that decide something, because libav reports these facts nowhere else. A test looks for
  /// each of them in the installed library, so that another wording does not go unnoticed.
  package static let phrases =
    optionComplaints + damageReports + [concealmentReport, gapReport]

  /// Accessing this installs the log callback, once per process.
  static let installed: Void = av_log_set_callback { _, level, format, arguments in
    guard level <= AV_LOG_INFO, let format, let arguments else {
      if level == AV_LOG_DEBUG, let format, strncmp(format, gapReport, gapReport.count) == 0 {
        pthread_setspecific(gapKey, UnsafeRawPointer(bitPattern: 1))
      }
      return
    }
    let text = String(cString: format)
    if level <= AV_LOG_ERROR && isDamageReport(text) || isConcealmentReport(text) {
      pthread_setspecific(damageKey, UnsafeRawPointer(bitPattern: 1))
    }
    guard level <= AV_LOG_ERROR || level <= AV_LOG_WARNING && isOptionComplaint(text) else {
      return
    }
    let capacity = 256
    guard let line = malloc(capacity)?.assumingMemoryBound(to: CChar.self) else { return }
    vsnprintf(line, capacity, format, arguments)
    free(pthread_getspecific(key))
    pthread_setspecific(key, line)
  }

  /// Whether a line reports an option that the encoder's library rejects. libav logs that as a warning only.
  static func isOptionComplaint(_ line: String) -> Bool {
    optionComplaints.contains { line.hasPrefix($0) }
  }

  private static let optionComplaints = [
    "Error parsing option", "Unknown option", "Invalid value for",
  ]

  /// Whether an error line reports damaged data that libav decodes anyway, without marking the frame.
  static func isDamageReport(_ line: String) -> Bool {
    damageReports.contains { line.hasPrefix($0) }
  }

  /// Whether a line below the error level reports that libav conceals part of a picture. libav also marks that picture,
  /// but pictures that are predicted from it may be shown before it.
  static func isConcealmentReport(_ line: String) -> Bool { line.hasPrefix(concealmentReport) }

  private static let concealmentReport = "concealing %d DC"

  private static let damageReports = [
    // Checksums: FLAC, AC-3 and E-AC-3, MPEG audio and PNG, FFV1, and the picture hashes of H.265.
    "CRC error at PTS", "frame CRC mismatch", "CRC mismatch", "slice CRC mismatch",
    "mismatching checksum of plane",
    // AC-3: sound that is repeated or faded.
    "error decoding the audio block", "incomplete frame",
    // H.265: slices that end early, and pictures that are predicted from missing ones.
    "Could not find ref", "The cu_qp_delta", "CABAC_MAX_BIN", "First slice in a frame missing",
    // JPEG: blocks that stay gray.
    "error dc", "error y=", "error count",
  ]

  /// Whether libav has reported damage on this thread since the last call; see ``isDamageReport(_:)``.
  static func takeDamageReport() -> Bool {
    guard pthread_getspecific(damageKey) != nil else { return false }
    pthread_setspecific(damageKey, nil)
    return true
  }

  /// How the line begins that reports a gap in the numbers of H.264 pictures.
  private static let gapReport = "Frame num gap"

  /// Whether libav has reported such a gap on this thread since the last call.
  static func takeGapReport() -> Bool {
    guard pthread_getspecific(gapKey) != nil else { return false }
    pthread_setspecific(gapKey, nil)
    return true
  }

  private static let gapKey: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private static let damageKey: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

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
