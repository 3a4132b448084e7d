import CMicroHTTPD
import Foundation

/// A server's TLS certificate and key.
public struct ServerSecurity: Hashable, Sendable {
  /// The certificate and the intermediate certificates between it and its authority, in PEM.
  public let certificate: String
  private let key: String
  /// The authorities that sign clients' certificates, in PEM; `nil` if clients are not asked for a certificate.
  public let clientAuthority: String?

  /// Creates the configuration from the contents of files.
  ///
  /// - Throws: ``ServerError`` if a file cannot be read, or libmicrohttpd does not support TLS.
  public init(
    certificateFile: String, keyFile: String, clientAuthorityFile: String? = nil
  ) throws(ServerError) {
    guard MHD_is_feature_supported(.FEATURE_TLS) == .YES else {
      throw ServerError(.invalidConfiguration, "the installed libmicrohttpd does not support TLS")
    }
    certificate = try Self.read(certificateFile)
    key = try Self.read(keyFile)
    if let clientAuthorityFile {
      clientAuthority = try Self.read(clientAuthorityFile)
    } else {
      clientAuthority = nil
    }
  }

  private static func read(_ path: String) throws(ServerError) -> String {
    do {
      let text = try String(contentsOfFile: path, encoding: .utf8)
      guard text.contains("-----BEGIN ") else {
        throw ServerError(.invalidConfiguration, "the file is not PEM: \(path)")
      }
      return text
    } catch let error as ServerError {
      throw error
    } catch {
      throw ServerError(
        .invalidConfiguration,
        "cannot read the file: \(path): check that it exists, is readable, and contains text")
    }
  }

  /// The allowed versions and ciphers: TLS 1.3, and TLS 1.2 with forward secrecy and authenticated ciphers, so that
  /// recorded traffic stays secret if the key leaks later.
  private static let priorities =
    "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-AES-128-CBC:-AES-256-CBC:-SHA1"

  /// The options of a daemon, and the strings that they point to.
  func options() -> (options: [MHD_OptionItem], texts: PinnedTexts) {
    var items: [(MHD_OPTION, String)] = [
      (.HTTPS_MEM_CERT, certificate), (.HTTPS_MEM_KEY, key),
      (.HTTPS_PRIORITIES, Self.priorities),
    ]
    if let clientAuthority { items.append((.HTTPS_MEM_TRUST, clientAuthority)) }
    let texts = PinnedTexts(items.map(\.1))
    let options = zip(items, texts.pointers).map { item, pointer in
      MHD_OptionItem(option: item.0, value: 0, ptr_value: pointer)
    }
    return (options, texts)
  }
}

extension ServerSecurity: CustomStringConvertible, CustomReflectable {
  /// A fixed text that reveals nothing about the key.
  public var description: String { "TLS" }
  /// An empty mirror that reveals nothing about the key.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// C strings with stable addresses.
///
/// `@unchecked`: the strings are never changed.
final class PinnedTexts: @unchecked Sendable {
  let pointers: [UnsafeMutablePointer<CChar>?]

  init(_ texts: [String]) {
    pointers = texts.map { strdup($0) }
  }

  deinit {
    for pointer in pointers {
      guard let pointer else { continue }
      // One of them is a key.
      explicit_bzero(pointer, strlen(pointer))
      free(pointer)
    }
  }
}
