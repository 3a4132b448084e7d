import CLibFuzzer
import Foundation

/// The way of the bytes that a stranger sends to a coordinator's port, up to the answer.
///
/// The farm is made anew every so often: what requests have left behind must not grow.
final class RequestFuzzer {
  /// After how many inputs the farm is made anew.
  private static let inputsPerFarm = 2000

  private var farm: FuzzedFarm?
  private var inputs = 0

  /// Sends the bytes over a connection of their own, and waits until the server closes it.
  ///
  /// What stands in braces in the corpus, `{job}` or `{lease}`, is replaced by the farm's own.
  func run(_ bytes: UnsafeRawBufferPointer) {
    do {
      if inputs % Self.inputsPerFarm == 0 {
        stop()
        farm = try FuzzedFarm()
        if inputs == 0 { atexit { RequestFuzzer.shared.checkLeaks() } }
      }
      inputs += 1
      guard let farm else { return }
      let connection = try LoopbackConnection(port: farm.port)
      let answer = connection.exchange(farm.filled(Data(bytes)))
      precondition(
        answer.isEmpty || answer.starts(with: "HTTP/1.".utf8),
        "not an answer: \(String(decoding: answer.prefix(200), as: UTF8.self))")
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private func stop() {
    farm?.stop()
    farm = nil
  }

  /// Has LeakSanitizer look when nothing is under way any more, and before libcrypto takes itself down at the end of the
  /// process and forgets what its other threads have. A leak ends the process.
  private func checkLeaks() {
    stop()
    __lsan_do_leak_check()
  }

  /// What libFuzzer's one thread uses.
  nonisolated(unsafe) static let shared = RequestFuzzer()
}

/// What libFuzzer calls with bytes of its choice.
@c(LLVMFuzzerTestOneInput)
public func fuzzRequest(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int32 {
  RequestFuzzer.shared.run(UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}
