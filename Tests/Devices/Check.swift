import Capture
import Foundation

/// A check that failed.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Functions for all checks.
enum Check {
  /// Fails unless a condition holds.
  static func require(_ condition: Bool, _ problem: @autoclosure () -> String) throws {
    guard condition else { throw Failure(problem()) }
  }

  /// Runs a check that must end with an error of a kind.
  static func requireError(_ code: CaptureError.Code, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as CaptureError {
      try require(error.code == code, "another error: \(error)")
      print("  error: \(error)")
      return
    }
    throw Failure("there is no error")
  }

  /// Opens a device as the coordinator does.
  static func open(_ path: String) throws -> Int32 {
    let descriptor = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    try require(descriptor >= 0, "\(path): \(String(cString: strerror(errno)))")
    return descriptor
  }

  /// Waits until a descriptor is ready, for a second at most.
  static func wait(for descriptor: Int32) {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN | POLLPRI), revents: 0)
    poll(&waiting, 1, 1000)
  }

  /// Lets a device run without taking what it captures.
  static func idle(milliseconds: Int32) { poll(nil, 0, milliseconds) }

  /// Starts a program.
  static func start(_ program: String, _ arguments: String...) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    try process.run()
    return process
  }

  /// Sets controls of a virtual camera.
  static func control(_ device: String, _ setting: String) throws {
    let process = try start("/usr/bin/v4l2-ctl", "-d", device, "-c", setting)
    process.waitUntilExit()
    try require(process.terminationStatus == 0, "v4l2-ctl rejects \(setting)")
  }

  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

extension Duration {
  /// In seconds, to be printed and compared.
  var seconds: Double { self / .seconds(1) }
}
