import Foundation

extension ChunkManifest {
  /// The request header that carries the digest of ``headerName``, in the form of `Content-Digest`.
  public static let digestHeaderName = "Sheaf-Chunk-Manifest-Digest"

  /// The reason why request headers contain no valid manifest.
  public enum HeaderProblem: Error, Hashable, Sendable {
    /// The manifest does not match its digest, or one of the two is missing: a header changed in transit.
    case damaged
    /// The manifest is missing or cannot be decoded.
    case malformed
  }

  /// The request headers that carry the manifest, by name.
  public func headers() throws -> [String: String] {
    let line = try FarmCoding.encode(self)
    return [
      Self.headerName: String(decoding: line, as: UTF8.self),
      Self.digestHeaderName: ContentDigest.value(for: line),
    ]
  }

  /// Decodes the manifest in request headers.
  ///
  /// - Parameters:
  ///   - line: the value of ``headerName``.
  ///   - digest: the value of ``digestHeaderName``.
  public init(line: String?, digest: String?) throws(HeaderProblem) {
    guard line != nil || digest != nil else { throw .malformed }
    guard let line, let digest else { throw .damaged }
    let data = Data(line.utf8)
    guard ContentDigest.holds(digest, for: data) else { throw .damaged }
    do { self = try FarmCoding.decode(Self.self, from: data) } catch { throw .malformed }
  }
}
