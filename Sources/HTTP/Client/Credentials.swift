import Foundation

/// The credentials that a client presents to a server, and the authorities that it trusts.
public struct Credentials: Hashable, Sendable {
  /// The token that is sent as `Authorization: Bearer` with every request.
  public var token: BearerToken?
  /// The file that the token came from, which ``Client/readTokenAgain()`` reads; `nil` if it came from elsewhere.
  public var tokenFile: String?
  /// The file of the authorities that sign the server's certificate, in PEM. `nil` uses the system's authorities.
  public var authorityFile: String?
  /// The file of the client's certificate, in PEM.
  public var certificateFile: String?
  /// The file of the certificate's key, in PEM.
  public var keyFile: String?

  /// Creates credentials; all are empty by default.
  public init(
    token: BearerToken? = nil, tokenFile: String? = nil, authorityFile: String? = nil,
    certificateFile: String? = nil, keyFile: String? = nil
  ) {
    self.token = token
    self.tokenFile = tokenFile
    self.authorityFile = authorityFile
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}

/// A bearer token, which never appears in messages.
public struct BearerToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  let value: String

  /// Creates a token from text, ignoring surrounding white space. Returns `nil` if the text is not a valid token (RFC
  /// 6750).
  public init?(_ text: String) {
    let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
    let marks = Set("-._~+/=".utf8)
    let isValid = value.utf8.allSatisfy { byte in
      marks.contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    guard !value.isEmpty, value.utf8.count <= 4096, isValid else { return nil }
    self.value = value
  }

  /// Reads a token from a file. Returns `nil` if the file cannot be read or contains no valid token.
  public init?(file path: String) {
    guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? handle.close() }
    guard let data = try? handle.read(upToCount: 8192) else { return nil }
    self.init(String(decoding: data, as: UTF8.self))
  }

  /// A fixed text that reveals nothing about the token.
  public var description: String { "token" }
  /// An empty mirror that reveals nothing about the token.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
