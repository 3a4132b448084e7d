import Crypto
import Foundation
import HTTP
import Synchronization

/// The upload of a large file in parts. The object appears when the upload is completed.
public struct MultipartUpload {
  private let client: ObjectClient
  private let key: String
  private let id: String
  private let mark: String
  private var tags: [String] = []

  /// The size of a part in bytes. Amazon accepts 10,000 parts of at most 5 GiB, but OpenStack Swift only 1,000 of them.
  package static func partSize(for byteCount: Int64, usual: Int64) -> Int64 {
    let largest: Int64 = 5 << 30
    return max(usual, min((byteCount + 999) / 1_000, largest), (byteCount + 9_999) / 10_000)
  }

  /// Sends a file in parts, each of which the store compares with its SHA-256.
  ///
  /// - Parameters:
  ///   - mark: a text that no other copy of the object has.
  ///   - note: another text to store with the object.
  ///   - partSize: the usual size of a part in bytes. Amazon requires at least 5 MiB.
  /// - Throws: ``S3Error``. Nothing is left of the upload then if the store can be reached.
  public init(
    of path: String, as key: String, mark: String, note: String? = nil, partSize: Int64,
    to client: ObjectClient
  ) throws(S3Error) {
    try self.init(beginning: key, mark: mark, note, in: client)
    do throws(S3Error) {
      try sendParts(of: path, partSize)
    } catch {
      abort()
      throw error
    }
  }

  /// Copies an object of the bucket in parts. The copy appears when the upload is completed.
  ///
  /// - Parameters:
  ///   - byteCount: its length in bytes.
  ///   - partSize: the usual size of a part in bytes, at most 5 GiB.
  /// - Throws: ``S3Error``.
  init(
    copying source: String, _ byteCount: Int64, to key: String, mark: String, note: String?,
    partSize: Int64,
    in client: ObjectClient
  ) throws(S3Error) {
    try self.init(beginning: key, mark: mark, note, in: client)
    do throws(S3Error) {
      let size = Self.partSize(for: byteCount, usual: partSize)
      for offset in stride(from: 0, to: byteCount, by: Int64.Stride(size)) {
        let end = min(offset + size, byteCount)
        let response = try client.send(
          ObjectClient.Operation(
            action: "cannot copy \(source) to", method: .put, key: key,
            query: ["partNumber": "\(tags.count + 1)", "uploadId": id],
            headers: [
              "x-amz-copy-source": client.source(source),
              "x-amz-copy-source-range": "bytes=\(offset)-\(end - 1)",
            ], isLong: true, proof: .document("CopyPartResult")))
        try add(try XMLElement.read(response.body)["ETag"])
      }
    } catch {
      abort()
      throw error
    }
  }

  private init(
    beginning key: String, mark: String, _ note: String?, in client: ObjectClient
  ) throws(S3Error) {
    self.client = client
    self.key = key
    self.mark = mark
    let response = try client.send(
      ObjectClient.Operation(
        action: "cannot store", method: .post, key: key, query: ["uploads": ""],
        headers: ObjectClient.fields(mark, note), proof: .element("UploadId")))
    guard let id = try XMLElement.read(response.body)["UploadId"] else {
      throw S3Error(
        .unavailable,
        "cannot store \(client.bucket)/\(key): the response has no upload ID: check --store-endpoint"
      )
    }
    self.id = id
    client.runningUploads.withLock { _ = $0.insert(id) }
  }

  private func end() { client.runningUploads.withLock { _ = $0.remove(id) } }

  private mutating func add(_ tag: String?) throws(S3Error) {
    guard let tag else {
      throw S3Error(
        .unavailable,
        "cannot store a part of \(client.bucket)/\(key): the response has no ETag: check --store-endpoint"
      )
    }
    tags.append(tag)
  }

  private mutating func sendParts(of path: String, _ usual: Int64) throws(S3Error) {
    let byteCount = try ObjectClient.length(of: path)
    let size = Self.partSize(for: byteCount, usual: usual)
    for offset in stride(from: 0, to: byteCount, by: Int64.Stride(size)) {
      let length = min(size, byteCount - offset)
      let digest = try Self.digest(of: path, offset, length)
      let response = try client.send(
        ObjectClient.Operation(
          action: "cannot store a part of", method: .put, key: key,
          query: ["partNumber": "\(tags.count + 1)", "uploadId": id],
          body: .file(path, offset: offset, length: length, digest), proof: .tag))
      try add(response.headers["ETag"])
    }
  }

  private static func digest(
    of path: String, _ offset: Int64, _ length: Int64
  ) throws(S3Error) -> Digest {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw S3Error(reading: path, errno) }
    defer { close(descriptor) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var hasher = SHA256()
    var done: Int64 = 0
    while done < length {
      let wanted = Int(min(Int64(buffer.count), length - done))
      let count = pread(descriptor, buffer.baseAddress, wanted, off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw S3Error(reading: path, count < 0 ? errno : EIO) }
      hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      done += Int64(count)
    }
    return hasher.finalize()
  }

  /// Completes the upload, so that the object appears.
  ///
  /// - Throws: ``S3Error``. The object may have appeared if the store did not answer.
  public func complete() throws(S3Error) {
    defer { end() }
    let parts = tags.enumerated().map { number, tag in
      "<Part><PartNumber>\(number + 1)</PartNumber><ETag>\(Self.escape(tag))</ETag></Part>"
    }
    let body = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
    do throws(S3Error) {
      _ = try client.send(
        ObjectClient.Operation(
          action: "cannot store", method: .post, key: key, query: ["uploadId": id],
          body: .data(Data(body.utf8)), isLong: true,
          proof: .document("CompleteMultipartUploadResult")))
    } catch {
      // An earlier try may have succeeded without an answer. Then the upload is over, and the object has its mark.
      guard error.code == .missing, try client.head(key)?.mark == mark else { throw error }
    }
  }

  /// Removes the parts. If the store cannot be reached, they stay until they are swept.
  public func abort() {
    try? client.abort(id, of: key)
    end()
  }

  private static func escape(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
      "\"", with: "&quot;")
  }
}

extension ObjectClient {
  /// Removes the parts of an upload that is not complete. It may have ended.
  public func abort(_ upload: String, of key: String) throws(S3Error) {
    do throws(S3Error) {
      _ = try send(
        Operation(
          action: "cannot end the upload of", method: .delete, key: key,
          query: ["uploadId": upload]))
    } catch {
      guard error.code == .missing else { throw error }
    }
  }
}
