import Foundation
import HTTP
import Synchronization

/// An object in a list.
public struct ListedObject: Hashable, Sendable {
  /// The key after the bucket's prefix.
  public let key: String
  /// The length in bytes.
  public let byteCount: Int64
  /// The time when it was stored, by the store's clock.
  public let date: Date
}

/// A multipart upload that is not complete.
public struct ListedUpload: Hashable, Sendable {
  /// The key after the bucket's prefix.
  public let key: String
  /// The id that the store gave it.
  public let id: String
  /// The time when it began, by the store's clock.
  public let date: Date
}

extension ObjectClient {
  /// Calls `body` with each object whose key begins with a text, in the order of their keys, until it returns `false`.
  public func forEach(
    beginningWith start: String, _ body: (ListedObject) -> Bool
  ) throws(S3Error) {
    var query = ["list-type": "2", "prefix": bucket.prefix + start]
    while true {
      let page = try list(query, "ListBucketResult")
      for element in page.children where element.name == "Contents" {
        guard let key = element["Key"], key.hasPrefix(bucket.prefix),
          let size = element["Size"].flatMap({ Int64($0) }),
          let date = element["LastModified"].flatMap(Self.date)
        else { throw incomplete }
        let object = ListedObject(
          key: String(key.dropFirst(bucket.prefix.count)), byteCount: size, date: date)
        guard body(object) else { return }
      }
      guard try isTruncated(page) else { return }
      guard let next = page["NextContinuationToken"], next != query["continuation-token"] else {
        throw incomplete
      }
      query["continuation-token"] = next
    }
  }

  /// The multipart uploads that are not complete, and that this client is not sending.
  public func uploads() throws(S3Error) -> [ListedUpload] {
    var uploads: [ListedUpload] = []
    let running = runningUploads.withLock(\.self)
    var query = ["uploads": "", "prefix": bucket.prefix]
    while true {
      let page: XMLElement
      do throws(S3Error) { page = try list(query, "ListMultipartUploadsResult") } catch {
        // Some servers return this error if there are no uploads.
        if error.code == .missing { return uploads }
        throw error
      }
      for element in page.children where element.name == "Upload" {
        guard let key = element["Key"], key.hasPrefix(bucket.prefix), let id = element["UploadId"],
          let date = element["Initiated"].flatMap(Self.date)
        else { throw incomplete }
        guard !running.contains(id) else { continue }
        uploads.append(
          ListedUpload(key: String(key.dropFirst(bucket.prefix.count)), id: id, date: date))
      }
      guard page["IsTruncated"] == "true" else { return uploads }
      guard let key = page["NextKeyMarker"], let id = page["NextUploadIdMarker"],
        key != query["key-marker"] || id != query["upload-id-marker"]
      else { throw incomplete }
      query["key-marker"] = key
      query["upload-id-marker"] = id
    }
  }

  private func list(
    _ query: [String: String], _ root: String
  ) throws(S3Error) -> XMLElement {
    let response = try send(
      Operation(
        action: "cannot list the objects of", method: .get, query: query, proof: .document(root)))
    return try XMLElement.read(response.body)
  }

  /// Whether a list has another page.
  private func isTruncated(_ page: XMLElement) throws(S3Error) -> Bool {
    switch page["IsTruncated"] {
    case "true": true
    case "false": false
    default: throw incomplete
    }
  }

  private var incomplete: S3Error {
    S3Error(
      .unavailable,
      "cannot list \(bucket): the response lacks a field that S3 requires: check --store-endpoint")
  }

  /// Reads a time such as `2009-10-12T17:50:30.000Z`, with or without a fraction, in whole seconds like the times in heads
  /// of objects.
  private static func date(_ text: String) -> Date? {
    let date = exactDate(text)
    return date.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) }
  }

  private static func exactDate(_ text: String) -> Date? {
    (try? Date(text, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true)))
      ?? (try? Date(text, strategy: .iso8601))
  }
}
