import Foundation

/// A program that did not print the address on which it listens.
public struct DidNotListen: Error, CustomStringConvertible {
  /// The first line of its standard output.
  public let line: String
  /// The failure in words.
  public var description: String { "it does not listen, and said: \(line)" }
}

extension Subprocess {
  /// Starts a server, and waits until it prints the address on which it listens.
  ///
  /// - Returns: the origin that it prints, such as `http://127.0.0.1:7420`.
  /// - Throws: ``DidNotListen`` if it prints something else. The process has then ended.
  public func startListening() throws -> String {
    let output = try SubprocessPipe()
    standardOutput = .pipe(output)
    try run()
    var bytes = Data()
    while let byte = try output.reading.read(upToCount: 1)?.first,
      byte != UInt8(ascii: "\n")
    { bytes.append(byte) }
    let line = String(decoding: bytes, as: UTF8.self)
    let prefix = "listening on "
    guard line.hasPrefix(prefix) else {
      terminate()
      wait()
      throw DidNotListen(line: line)
    }
    return String(line.dropFirst(prefix.count))
  }
}
