import Confinement
import Foundation
import Processes

/// Work in consecutive copies of this process.
enum Forks {
  nonisolated(unsafe) private static var count = 0

  /// Does the named work in copies and prints their messages, a line each. Returns whether copies could be made.
  static func run(_ names: [String]) -> Bool {
    // A descriptor that only this process may read.
    guard let (secret, writing) = try? Descriptors.pipe(), write(writing, "secret", 6) == 6,
      dup2(secret, 0) == 0, let (ours, theirs) = try? Descriptors.socketPair()
    else { return false }
    let sender = MessageChannel(taking: theirs, largest: 0)
    let receiver = MessageChannel(taking: ours, largest: 1000)
    for name in names {
      do {
        try ForkedWork.run(answering: sender, largest: 100) { attempt(name, answering: $0) }
        say(String(decoding: try receiver.receive().bytes, as: UTF8.self))
      } catch MessageChannel.Silence.tooLong(let count) {
        say("too long: \(count)")
        return true
      } catch {
        return false
      }
    }
    return true
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  private static func attempt(_ name: String, answering parent: MessageChannel) -> Int32 {
    count += 1
    func answer(_ text: String) { parent.send(Message(bytes: Array(text.utf8))) }
    switch name {
    case "count": answer("\(count)")
    case "silence": return 0
    case "print": say("printed")
    case "too long": answer(String(repeating: "x", count: 2000))
    case "unread":
      // More than a socket's buffer: the copy must not wait until it is read.
      answer("one")
      answer(String(repeating: "x", count: 1 << 24))
    case "lines": answer("one\ntwo\n")
    case "input":
      var bytes = [UInt8](repeating: 0, count: 6)
      answer(read(0, &bytes, bytes.count) > 0 ? "read" : "nothing")
    case "failure":
      answer("failed")
      return 1
    case "exit": return 3
    case "abort": abort()
    case "spin on":
      confine()
      signal(SIGXCPU, SIG_IGN)
      while true { _ = getppid() }
    case "compute":
      confine()
      while clock() < clock_t(1.3 * Double(CLOCKS_PER_SEC)) { _ = getppid() }
      answer("computed")
    default: return 201
    }
    return 0
  }

  private static func confine() {
    let limits = ResourceLimits(memory: 8 << 30, fileSize: 1 << 20, processorTime: 2)
    do { try Sandbox(limits: limits).enter() } catch { _exit(200) }
  }
}
