import Foundation
import HTTP
import Synchronization

/// Where the access key comes from. Temporary keys are renewed before they expire.
public final class KeySource: Sendable {
  private enum Origin {
    case fixed(AccessKey)
    case file(String, profile: String)
    case instance(String)
  }

  private let origin: Origin
  private let known = Mutex<AccessKey?>(nil)
  private let client: Client
  private let date: @Sendable () -> Date

  /// How long before its end a temporary key is renewed.
  private static let margin: TimeInterval = 300
  /// The address of the service that gives an instance its keys.
  static let instanceService = "http://169.254.169.254"

  private init(_ origin: Origin, date: @escaping @Sendable () -> Date = { Date() }) {
    self.origin = origin
    self.date = date
    client = Client(connectTimeout: .seconds(2), stallTimeout: .seconds(5))
  }

  /// A key that does not change.
  public static func fixed(_ key: AccessKey) -> KeySource { KeySource(.fixed(key)) }

  /// A profile in a file in the format of `~/.aws/credentials`, which is read again if the store rejects the key.
  public static func file(_ path: String, profile: String = "default") -> KeySource {
    KeySource(.file(path, profile: profile))
  }

  /// The role of the virtual machine on which this process runs (version 2 of the instance metadata service).
  ///
  /// - Parameter service: the URL of the service, without a path; `nil` for Amazon's.
  public static func instance(
    _ service: String? = nil, date: @escaping @Sendable () -> Date = { Date() }
  ) -> KeySource {
    KeySource(.instance(service ?? instanceService), date: date)
  }

  /// The key to sign with now. Blocks.
  ///
  /// - Parameter old: a key that the store rejects.
  /// - Throws: ``S3Error`` if there is none.
  package func current(otherThan old: AccessKey? = nil) throws(S3Error) -> AccessKey {
    let now = date()
    if let key = known.withLock(\.self), key != old,
      key.expiry.map({ $0 - Self.margin > now }) ?? true
    {
      return key
    }
    let key: AccessKey
    do throws(S3Error) { key = try read() } catch {
      // The last key may still be valid.
      if let key = known.withLock(\.self), key != old, key.expiry.map({ $0 > now }) ?? true {
        return key
      }
      throw error
    }
    known.withLock { $0 = key }
    return key
  }

  private func read() throws(S3Error) -> AccessKey {
    switch origin {
    case .fixed(let key): key
    case .file(let path, let profile): try Self.key(in: path, profile)
    case .instance(let service): try key(from: service)
    }
  }

  // MARK: - Files

  /// Reads a profile: lines `name = value` after a line `[profile]`.
  private static func key(in path: String, _ profile: String) throws(S3Error) -> AccessKey {
    var status = stat()
    guard stat(path, &status) == 0, let content = FileManager.default.contents(atPath: path) else {
      throw S3Error(
        .refused, "cannot read the access key: \(path): \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & 0o007 == 0 else {
      throw S3Error(
        .refused,
        "all users of this host can read the object store's access key: run `chmod o= \(path)`")
    }
    var values: [String: String] = [:]
    var isInProfile = false
    for line in String(decoding: content, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("[") {
        isInProfile = line == "[\(profile)]"
      } else if isInProfile, !line.hasPrefix("#"), let mark = line.firstIndex(of: "=") {
        let name = line[..<mark].trimmingCharacters(in: .whitespaces)
        values[name] = line[line.index(after: mark)...].trimmingCharacters(in: .whitespaces)
      }
    }
    guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else {
      throw S3Error(
        .refused,
        "\(path) has no complete profile [\(profile)]: it needs the lines aws_access_key_id = ID and "
          + "aws_secret_access_key = SECRET")
    }
    return AccessKey(id: id, secret: secret, session: values["aws_session_token"])
  }

  // MARK: - Instances

  /// The answer of the metadata service.
  private struct Answer: Decodable {
    let accessKeyId: String
    let secretAccessKey: String
    let token: String
    let expiration: Date

    enum CodingKeys: String, CodingKey {
      case accessKeyId = "AccessKeyId"
      case secretAccessKey = "SecretAccessKey"
      case token = "Token"
      case expiration = "Expiration"
    }
  }

  private func key(from service: String) throws(S3Error) -> AccessKey {
    do {
      let folder = "\(service)/latest/meta-data/iam/security-credentials/"
      let ticket = try ask(
        ClientRequest(
          .put, "\(service)/latest/api/token",
          headers: ["X-aws-ec2-metadata-token-ttl-seconds": "60"], timeout: .seconds(5)))
      let headers: Headers = [
        "X-aws-ec2-metadata-token": String(decoding: ticket, as: UTF8.self)
      ]
      let roles = try ask(
        ClientRequest(.get, folder, headers: headers, timeout: .seconds(5)))
      let role = String(decoding: roles, as: UTF8.self).split(whereSeparator: \.isNewline).first
      let body = try ask(
        ClientRequest(.get, folder + (role ?? ""), headers: headers, timeout: .seconds(5)))
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .iso8601
      let answer = try decoder.decode(Answer.self, from: body)
      return AccessKey(
        id: answer.accessKeyId, secret: answer.secretAccessKey, session: answer.token,
        expiry: answer.expiration)
    } catch {
      let reason = (error as? ClientError)?.reason ?? "its answer is not a key"
      throw S3Error(
        .unavailable,
        "there is no access key for the object store: neither --store-key-file nor AWS_ACCESS_KEY_ID "
          + "is set, and the instance metadata service at \(service) gives none (\(reason)): use "
          + "--store-key-file")
    }
  }

  private func ask(_ request: ClientRequest) throws(ClientError) -> Data {
    try client.sendAndWait(request).successful().body
  }
}
