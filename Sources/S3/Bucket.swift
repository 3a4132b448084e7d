/// A bucket of an object store that speaks the S3 protocol, or the objects in it whose keys begin with a prefix.
public struct Bucket: Hashable, Sendable, CustomStringConvertible {
  /// The name of the bucket.
  public let name: String
  /// The beginning of all keys: empty, or ending with `/`.
  public let prefix: String
  /// The region in signatures.
  public let region: String
  /// The store's URL without a path, such as `https://s3.eu-central-1.amazonaws.com`.
  let endpoint: String
  /// Whether the bucket's name is in the path of URLs and not in the host name.
  let isInPath: Bool

  /// Reads the name of a bucket.
  ///
  /// - Parameters:
  ///   - text: `s3://BUCKET` or `s3://BUCKET/PREFIX`.
  ///   - endpoint: the URL of the store, such as `https://store.example:9000`; `nil` for Amazon's in the region. URLs
  ///     of other stores have the bucket's name in the path.
  /// - Throws: ``S3Error`` with code `invalidName`.
  public init(_ text: String, endpoint: String? = nil, region: String = "us-east-1")
    throws(S3Error)
  {
    let scheme = "s3://"
    let parts = text.dropFirst(scheme.count).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard text.hasPrefix(scheme), let name = parts.first, Self.isName(name) else {
      throw S3Error(
        .invalidName, "'\(text)' is not a bucket: write s3://BUCKET or s3://BUCKET/PREFIX")
    }
    let folders = parts.dropFirst().first?.split(separator: "/") ?? []
    guard folders.allSatisfy(Self.isFolder) else {
      throw S3Error(
        .invalidName,
        "the prefix in '\(text)' may contain only letters, digits, and -, _ and . between slashes")
    }
    guard Self.isName(Substring(region)) else {
      throw S3Error(.invalidName, "'\(region)' is not a region, such as eu-central-1")
    }
    self.name = String(name)
    self.region = region
    prefix = folders.isEmpty ? "" : folders.joined(separator: "/") + "/"
    guard let endpoint else {
      // Amazon's certificates are not valid for names with more labels.
      isInPath = name.contains(".")
      let host = "s3.\(region).amazonaws.com"
      self.endpoint = "https://" + (isInPath ? host : "\(name).\(host)")
      return
    }
    isInPath = true
    var bare = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
    guard let host = Self.host(of: bare), host.allSatisfy({ !"/?#@ ".contains($0) }), !host.isEmpty
    else {
      // It is not repeated, because it may contain a password.
      throw S3Error(
        .invalidName,
        "the store's address must be a URL without a path, such as https://store.example:9000")
    }
    // Requests do not name the usual port, so signatures must not either.
    for (scheme, port) in [("https:", ":443"), ("http:", ":80")]
    where bare.hasPrefix(scheme) && bare.hasSuffix(port) { bare.removeLast(port.count) }
    self.endpoint = bare
  }

  /// The host and port in the URL of a store; `nil` if it is not such a URL.
  private static func host(of endpoint: String) -> Substring? {
    for scheme in ["https://", "http://"] where endpoint.hasPrefix(scheme) {
      return endpoint.dropFirst(scheme.count)
    }
    return nil
  }

  /// The bucket with each enclosing prefix, the shortest first.
  public var enclosing: [Bucket] {
    let folders = prefix.split(separator: "/")
    return folders.indices.map { Bucket(self, prefix: folders[..<$0].map { "\($0)/" }.joined()) }
  }

  private init(_ other: Bucket, prefix: String) {
    (name, region, endpoint, isInPath) = (other.name, other.region, other.endpoint, other.isInPath)
    self.prefix = prefix
  }

  private static func isName(_ text: Substring) -> Bool {
    (1...63).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      }
  }

  private static func isFolder(_ text: Substring) -> Bool {
    text != "." && text != ".." && text.utf8.allSatisfy(URIEncoding.isUnreserved)
  }

  /// The host and port that requests name.
  package var host: String { Self.host(of: endpoint).map(String.init) ?? "" }

  /// The encoded path of the bucket, or of an object in it.
  package func path(of key: String?) -> String {
    let bucket = isInPath ? "/\(name)" : ""
    guard let key else { return bucket.isEmpty ? "/" : bucket }
    return "\(bucket)/" + URIEncoding.encode(prefix + key, keepingSlashes: true)
  }

  /// The name as it was written.
  public var description: String {
    "s3://\(name)" + (prefix.isEmpty ? "" : "/\(prefix.dropLast())")
  }
}
