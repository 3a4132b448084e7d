import Arguments
import FarmAPI
import Foundation

extension RecordingPassphrase {
  private static let variable = "SHEAF_RECORDING_PASSPHRASE"
  private static let file = Option<String>(
    "passphrase-file", value: "FILE",
    help: "The file that contains the passphrase of an SRT connection, the stream key of an RTMP "
      + "sender, or user:password for an RTSP server (default: the text in "
      + "$SHEAF_RECORDING_PASSPHRASE)")

  /// The option that names the file with the passphrase.
  static let option = file.declaration

  /// Reads the passphrase for a source from a file or the environment. Returns `nil` if none is set.
  ///
  /// - Throws: ``CommandFailure``, which never contains the passphrase.
  static func read(
    for source: RecordingSource, _ arguments: ParsedArguments,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> RecordingPassphrase? {
    if let path = try arguments.value(file) {
      guard source.transport.takesPassphrase else {
        throw CommandFailure(
          .usage, "only sources over SRT, RTMP or RTSP have a passphrase", on: "--passphrase-file",
          remedy: "leave it out, or record from srt://HOST:PORT, srt-listen://ADDRESS:PORT, "
            + "rtmp-listen://ADDRESS:PORT or rtsp://HOST:PORT/PATH")
      }
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
        throw CommandFailure(
          .usage, "cannot read the passphrase file", on: path,
          remedy: "name a readable text file with --passphrase-file")
      }
      return try checked(
        text.last?.isNewline == true ? text.dropLast() : text[...], for: source, on: path)
    }
    guard source.transport.takesPassphrase, let text = environment[variable], !text.isEmpty else {
      return nil
    }
    return try checked(text[...], for: source, on: variable)
  }

  private static func checked(
    _ text: Substring, for source: RecordingSource, on subject: String
  ) throws(CommandFailure) -> RecordingPassphrase {
    guard let passphrase = RecordingPassphrase(String(text)), passphrase.suits(source.transport)
    else {
      throw CommandFailure(
        .usage, "the passphrase is invalid", on: subject, remedy: rule(for: source.transport))
    }
    return passphrase
  }
}
