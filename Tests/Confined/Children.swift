import Dispatch
import Foundation
import Processes
import Synchronization

/// A program whose children are copies of it, and what these do.
enum Children {
  nonisolated(unsafe) private static var count = 0

  /// Reads the names of children from standard input, a line each, and prints the answer of each or how it ended.
  static func run() {
    signal(SIGPIPE, SIG_IGN)
    var blocked = sigset_t()
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGUSR1)
    pthread_sigmask(SIG_BLOCK, &blocked, nil)
    ForkServer.start(as: ["confined", "children"], child)
    while let name = readLine() { say(answer(of: name)) }
  }

  /// Runs as the child that the arguments name, in a copy or a newly started program, and returns the exit code.
  static func child(_ arguments: [String]) -> Int32 {
    let parent = ParentProcess.channel(largest: 1 << 10)
    guard let request = try? parent.receive() else { return 1 }
    count += 1
    var words = "\(count)"
    switch arguments.last {
    case "parent": words = "\(getppid() == pid_t(String(decoding: request.bytes, as: UTF8.self)))"
    case "arguments": words = arguments.joined(separator: ",")
    case "environment":
      let shown = FileManager.default.contents(atPath: "/proc/self/environ")
      let names = (["HOME", "SECRET"] as [String]).filter { getenv($0) != nil }
      let leaks = shown.map { String(decoding: $0, as: UTF8.self).contains("secret") } ?? true
      words = names.joined(separator: ",") + (leaks ? " and the secret" : "")
    case "files":
      words = (0..<64 as Range<Int32>).filter { fcntl($0, F_GETFD) >= 0 }.map(String.init)
        .joined(separator: ",")
    case "copy":
      let isChild = getppid() == pid_t(String(decoding: request.bytes, as: UTF8.self))
      words = "\(CommandLine.arguments.last == "server") \(isChild)"
    case "group": words = "\(getpgrp() == getpid())"
    case "signals":
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      var pipes = sigaction()
      sigaction(SIGPIPE, nil, &pipes)
      let isDefault = pipes.__sigaction_handler.sa_handler == nil
      words = "\(sigismember(&mask, SIGUSR1) == 0) \(isDefault)"
    case "threads":
      // Another thread finds this one by its id, which glibc stores.
      let first = pthread_self()
      let isFound = Mutex(false)
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        isFound.withLock { $0 = pthread_kill(first, 0) == 0 }
        isDone.signal()
      }
      isDone.wait()
      // All threads want the same lock.
      let sum = Mutex(0)
      DispatchQueue.concurrentPerform(iterations: 1000) { _ in sum.withLock { $0 += 1 } }
      words = "\(isFound.withLock(\.self) && sum.withLock(\.self) == 1000)"
    case "standard error":
      FileHandle.standardError.write(Data("last words\n".utf8))
      return 3
    case "abort": abort()
    case "sleep": while true { pause() }
    default: break
    }
    parent.send(Message(bytes: Array(words.utf8)))
    return 0
  }

  private static func answer(of name: String) -> String {
    if name == "eight at once" {
      let count = Mutex(0)
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        if answer(of: "count") == "1" { count.withLock { $0 += 1 } }
      }
      return "\(count.withLock(\.self))"
    }
    do {
      let child = try ConnectedChild(
        ConnectedChild.thisProgram, ["confined", "child", name], subject: "a child",
        largest: 1 << 10)
      if name == "sleep" { _ = Unmanaged.passRetained(child) }
      child.channel.send(Message(bytes: Array("\(getpid())".utf8)))
      if name == "sleep" { return "sleeps" }
      do throws(MessageChannel.Silence) {
        return String(decoding: try child.channel.receive().bytes, as: UTF8.self)
      } catch {
        let words = child.words.lastLine.map { " (\($0))" } ?? ""
        return child.process.wait().explanation + words
      }
    } catch {
      return "\(error)"
    }
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
