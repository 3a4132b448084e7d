import Foundation

/// The `http` or `https` URL of an asset, or the name of a recording of the coordinator, such as `recording://7q2m`.
///
/// The rules are stricter than RFC 3986, because two parsers may find different hosts in an ambiguous URL: user names,
/// passwords and fragments are not allowed, and addresses must be in their usual form.
public struct AssetURL: Hashable, Sendable {
  /// The protocol of a request.
  public enum Scheme: String, Hashable, Sendable, CaseIterable {
    case http = "http"
    case https = "https"
    /// The asset is what the coordinator has recorded. The host is the recording's id.
    case recording = "recording"

    /// The default port; 0 for a recording.
    public var port: UInt16 {
      switch self {
      case .http: 80
      case .https: 443
      case .recording: 0
      }
    }
  }

  /// The scheme.
  public let scheme: Scheme
  /// A name in lower case, an IPv4 address (four decimal numbers), or an IPv6 address without brackets.
  public let host: String
  /// The port. If the URL states none, it is the default port of the scheme.
  public let port: UInt16
  /// The path, which starts with `/`, and the query, as they are sent. For a recording, it is empty, `?follow`, or `/`
  /// and the number of one of its files from 1 on.
  public let target: String

  /// The recording that the asset is, and the index of its file; `nil` for an asset at an address.
  public var recording: (id: String, file: Int)? {
    guard scheme == .recording else { return nil }
    return (host, (Int(target.dropFirst()) ?? 1) - 1)
  }

  /// Whether the URL ends in `?follow`: a job then renders the recording while it is being recorded.
  public var follows: Bool { scheme == .recording && target == Self.followQuery }

  private static let followQuery = "?follow"

  /// Whether the host is an address rather than a name.
  public var hasNumericHost: Bool { !Self.isName(host) }

  /// The maximum length of a URL, in bytes: the length that RFC 9110, 4.1 recommends to support.
  public static let byteLimit = 8000

  /// Parses a URL.
  public init(_ text: String) throws(AssetURLError) {
    guard text.utf8.count <= Self.byteLimit else {
      throw AssetURLError(
        "the URL has \(text.utf8.count) bytes, more than the limit of \(Self.byteLimit)",
        "use a shorter one")
    }
    guard let (scheme, rest) = Self.scheme(of: text) else {
      throw AssetURLError("it is not an http or https URL", "begin it with https://")
    }
    guard scheme != .recording else {
      self.scheme = scheme
      (host, target) = try Self.recording(rest)
      port = scheme.port
      return
    }
    guard rest.utf8.allSatisfy(Self.isAllowed) else {
      throw AssetURLError("the URL contains characters that are not allowed", "percent-encode them")
    }
    guard !rest.contains("#") else {
      throw AssetURLError("the URL contains a fragment", "remove the # and everything after it")
    }
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    let authority = rest[..<end].lowercased()
    guard !authority.contains("@") else {
      throw AssetURLError("the URL contains a user name or a password", "remove them")
    }
    self.scheme = scheme
    (host, port) = try Self.host(authority, usually: scheme.port)
    target = rest[end...].hasPrefix("/") ? String(rest[end...]) : "/" + rest[end...]
  }

  /// The scheme of text that is meant to be an http or https URL, and the rest after `://`.
  private static func scheme(of text: String) -> (Scheme, Substring)? {
    guard let separator = text.range(of: "://"),
      let scheme = Scheme(rawValue: text[..<separator.lowerBound].lowercased())
    else { return nil }
    return (scheme, text[separator.upperBound...])
  }

  /// The id of a recording, and `?follow` or the number of its file, such as `/2`.
  private static func recording(_ text: Substring) throws(AssetURLError) -> (String, String) {
    if text.hasSuffix(followQuery), !text.contains("/") {
      return (try recording(text.dropLast(followQuery.count)).0, followQuery)
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789")
    let isNumber = { (text: String) in Int(text).map { $0 > 0 && "\($0)" == text } ?? false }
    guard let id = parts.first, (1...64).contains(id.count), id.allSatisfy(letters.contains),
      parts.count == 1 || (parts.count == 2 && isNumber(parts[1]))
    else {
      throw AssetURLError(
        "\"\(text)\" is not the id of a recording",
        "write recording://ID, recording://ID/2 for its second file, or recording://ID?follow to "
          + "render it while it is being recorded")
    }
    return (id, parts.count == 2 && parts[1] != "1" ? "/\(parts[1])" : "")
  }

  /// Whether text starts with `http://`, `https://` or `recording://`.
  package static func isMeant(by text: String) -> Bool { scheme(of: text) != nil }

  /// Whether RFC 3986, 2 allows a byte: unreserved and reserved characters, and `%`.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    let character = Character(Unicode.Scalar(byte))
    guard byte < 0x80 else { return false }
    return character.isLetter || character.isNumber || "-._~:/?#[]@!$&'()*+,;=%".contains(character)
  }

  private static func host(
    _ authority: String, usually port: UInt16
  ) throws(AssetURLError) -> (String, UInt16) {
    let bracket = authority.lastIndex(of: "]") ?? authority.startIndex
    let colon = authority[bracket...].firstIndex(of: ":")
    let name = String(authority[..<(colon ?? authority.endIndex)])
    guard let host = address(name) ?? (isName(name) ? name : nil) else {
      throw AssetURLError(
        "the host \"\(name)\" is neither a name, nor an IPv4 address of four decimal numbers, "
          + "nor an IPv6 address in brackets", "correct it")
    }
    guard let colon else { return (host, port) }
    let digits = authority[colon...].dropFirst()
    guard digits.allSatisfy(\.isNumber), let number = UInt16(digits), number > 0 else {
      throw AssetURLError("\"\(digits)\" is not a valid port", "use a number from 1 to 65535")
    }
    return (host, number)
  }

  /// The address in its usual form; `nil` if the host is not an address.
  private static func address(_ host: String) -> String? {
    if host.hasPrefix("["), host.hasSuffix("]") {
      var bytes = in6_addr()
      guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &bytes) == 1 else {
        return nil
      }
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      guard inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count)) != nil else { return nil }
      return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    // Unlike `inet_aton`, this accepts only four decimal numbers without leading zeros.
    var bytes = in_addr()
    return inet_pton(AF_INET, host, &bytes) == 1 ? host : nil
  }

  /// Whether text in lower case is a host name (RFC 1123, 2.1). Its last label must not look like a number, because
  /// some parsers would take it for an address.
  private static func isName(_ host: String) -> Bool {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard host.utf8.count <= 253, let last = labels.last, !last.hasPrefix("0x") else {
      return false
    }
    return last.contains { !$0.isNumber }
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
          && label.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
              || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
          }
      }
  }
}

extension AssetURL: CustomStringConvertible {
  /// The URL as it is requested.
  public var description: String { origin + target }

  /// The scheme, the host, and the port if it is not the default.
  public var origin: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return "\(scheme.rawValue)://\(host)" + (port == scheme.port ? "" : ":\(port)")
  }
}

extension AssetURL: Encodable {
  /// Encodes the URL as a string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// The reason why text is not a valid URL of an asset.
public struct AssetURLError: Error, Hashable, Sendable {
  /// The problem.
  public let problem: String
  /// The remedy, in the imperative.
  public let remedy: String

  init(_ problem: String, _ remedy: String) {
    self.problem = problem
    self.remedy = remedy
  }
}
