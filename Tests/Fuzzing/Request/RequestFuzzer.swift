import CLibFuzzer
import Foundation

/// Sends bytes from a stranger to a coordinator's port, and receives the response.
///
/// The farm is recreated from time to time, so that the state that requests leave behind does not grow.
final class RequestFuzzer {
  /// The number of inputs after which the farm is recreated.
  private static let inputsPerFarm = 2000

  private var farm: FuzzedFarm?
  private var inputs = 0

  /// Sends the bytes over a separate connection, and waits until the server closes it.
  ///
  /// Placeholders in braces, such as `{job}` or `{lease}`, are replaced by the farm's own values.
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

  /// Runs LeakSanitizer after all work has ended, but before libcrypto cleans up at the end of the process and forgets
  /// the memory of its other threads. A leak ends the process.
  private func checkLeaks() {
    stop()
    __lsan_do_leak_check()
  }

  /// The instance that libFuzzer's only thread uses.
  nonisolated(unsafe) static let shared = RequestFuzzer()
}

/// The entry point that libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func fuzzRequest(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int32 {
  RequestFuzzer.shared.run(UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}
