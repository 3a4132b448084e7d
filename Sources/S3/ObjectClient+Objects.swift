import Crypto
import Foundation
import HTTP

/// The facts about an object that its head states.
public struct ObjectHead: Hashable, Sendable {
  /// The length in bytes.
  public let byteCount: Int64
  /// The time when it was stored, by the store's clock.
  public let date: Date
  /// Identifies its content.
  public let tag: String
  /// The text that was stored with it; see ``ObjectClient/mark``.
  public let mark: String?
  /// The note that was stored with it, if any.
  public let note: String?
}

extension ObjectClient {
  /// The name of the header field that contains a text which is stored with an object.
  static let mark = "x-amz-meta-sheaf-copy"
  /// The beginning of the names of a note's parts.
  private static let notePart = "x-amz-meta-sheaf-note-"
  /// OpenStack Swift accepts no values above 256 bytes.
  private static let longestPart = 250

  /// The facts about an object; `nil` if the bucket certainly does not contain it.
  public func head(_ key: String) throws(S3Error) -> ObjectHead? {
    try head(key, isRepeated: true)
  }

  /// - Parameter isRepeated: whether to ask again if the answers differ.
  private func head(_ key: String, isRepeated: Bool) throws(S3Error) -> ObjectHead? {
    let action = "cannot look up"
    do throws(S3Error) {
      let response = try send(Operation(action: action, method: .head, key: key, proof: .object))
      guard let length = response.headers["Content-Length"].flatMap({ Int64($0) }),
        let date = response.headers["Last-Modified"].flatMap(HTTPDate.read),
        let tag = response.headers["ETag"]
      else {
        throw S3Error(
          .unavailable,
          "\(action) \(bucket)/\(key): the response lacks a field that S3 requires: check --store-endpoint"
        )
      }
      return ObjectHead(
        byteCount: length, date: date, tag: tag, mark: response.headers[Self.mark],
        note: Self.note(in: response.headers))
    } catch {
      guard error.isNotFound || error.isUnexplained else { throw error }
    }
    // The answer to HEAD has no body, which would tell a missing object from a missing bucket or a wrong address, and an
    // expired key from a wrong one.
    do throws(S3Error) {
      _ = try send(
        Operation(
          action: action, method: .get, key: key, headers: ["range": "bytes=0-0"], proof: .object))
    } catch {
      if error.code == .missing { return nil }
      // The range of an empty object is invalid.
      guard error.storeCode == "InvalidRange" else { throw error }
    }
    // It appeared in between, or the key was renewed.
    if isRepeated { return try head(key, isRepeated: false) }
    throw S3Error(
      .unavailable,
      "\(action) \(bucket)/\(key): HEAD reported no object, but GET found one: try again")
  }

  /// Writes an object to a local file, whose content is replaced.
  ///
  /// - Returns: whether the object exists.
  public func get(_ key: String, to path: String) throws(S3Error) -> Bool {
    do throws(S3Error) {
      _ = try send(
        Operation(
          action: "cannot read", method: .get, key: key, destination: path, proof: .object))
      return true
    } catch {
      guard error.code == .missing else { throw error }
      return false
    }
  }

  /// Stores bytes as an object.
  public func put(_ data: Data, as key: String, mark: String? = nil) throws(S3Error) {
    _ = try send(
      Operation(
        action: "cannot store", method: .put, key: key, headers: Self.fields(mark),
        body: .data(data), proof: .tag))
  }

  /// Stores a file as an object. The store compares the bytes with their SHA-256.
  ///
  /// - Throws: ``S3Error``, also if the file cannot be read.
  public func put(
    fileAt path: String, _ digest: Digest, as key: String, mark: String, note: String? = nil
  ) throws(S3Error) {
    let length = try Self.length(of: path)
    _ = try send(
      Operation(
        action: "cannot store", method: .put, key: key, headers: Self.fields(mark, note),
        body: .file(path, offset: 0, length: length, digest), proof: .tag))
  }

  /// Copies an object within the bucket.
  ///
  /// - Parameters:
  ///   - byteCount: its length in bytes.
  ///   - largest: the length above which it is copied in parts.
  /// - Throws: ``S3Error`` with code `missing` if it does not exist.
  public func copy(
    _ key: String, to other: String, byteCount: Int64, mark: String, note: String? = nil,
    largest: Int64 = 1 << 30
  ) throws(S3Error) {
    guard byteCount <= largest else {
      let upload = try MultipartUpload(
        copying: key, byteCount, to: other, mark: mark, note: note, partSize: largest, in: self)
      do throws(S3Error) { try upload.complete() } catch {
        upload.abort()
        throw error
      }
      return
    }
    var headers = Self.fields(mark, note)
    headers["x-amz-copy-source"] = source(key)
    headers["x-amz-metadata-directive"] = "REPLACE"
    _ = try send(
      Operation(
        action: "cannot copy \(key) to", method: .put, key: other, headers: headers,
        isLong: true, proof: .document("CopyObjectResult")))
  }

  /// The name of an object that is copied.
  func source(_ key: String) -> String {
    "/\(bucket.name)/" + URIEncoding.encode(bucket.prefix + key, keepingSlashes: true)
  }

  /// Removes an object. It may be missing.
  ///
  /// - Parameter mayRemove: asked before each try. If it returns `false`, no request is sent.
  public func delete(
    _ key: String, if mayRemove: @escaping () -> Bool = { true }
  ) throws(S3Error) {
    do throws(S3Error) {
      var operation = Operation(action: "cannot remove", method: .delete, key: key)
      operation.isAllowed = mayRemove
      _ = try send(operation)
    } catch {
      guard error.code == .missing else { throw error }
    }
  }

  /// The header fields of an object's metadata. A full stop follows the note, which has none itself, because some stores
  /// add the metadata of a copy's source, which may have more parts.
  static func fields(_ mark: String?, _ note: String? = nil) -> [String: String] {
    guard let mark else { return [:] }
    var fields = [Self.mark: mark]
    var rest = "\(note ?? "")."[...]
    for number in 1... {
      guard !rest.isEmpty else { break }
      fields["\(notePart)\(number)"] = String(rest.prefix(longestPart))
      rest = rest.dropFirst(longestPart)
    }
    return fields
  }

  /// The note whose parts are in header fields; `nil` if there is none.
  private static func note(in headers: Headers) -> String? {
    var note = ""
    for number in 1... {
      guard let part = headers["\(notePart)\(number)"] else { break }
      note += part
      if part.hasSuffix(".") { return note == "." ? nil : String(note.dropLast()) }
    }
    return nil
  }

  static func length(of path: String) throws(S3Error) -> Int64 {
    var information = stat()
    guard stat(path, &information) == 0 else {
      throw S3Error(reading: path, errno)
    }
    return Int64(information.st_size)
  }
}
