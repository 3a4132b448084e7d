import Crypto
import Foundation
import HTTP
import S3
import Support
import Synchronization
import Testing

/// Requests to an S3 server that we did not write, some through a proxy with faults.
@Suite(.mayBlock, .timeLimit(.minutes(15)), .needsS3Server)
struct ObjectClientTests {
  private let server: S3Server
  private let folder: TemporaryDirectory
  private let prefix = S3Server.newPrefix()
  private static let megabyte = 1 << 20

  init() throws {
    server = try S3Server.shared.get()
    folder = try TemporaryDirectory()
  }

  private func client(
    _ endpoint: String? = nil, secret: String = S3Server.secret, bucket: String = S3Server.bucket
  ) throws -> ObjectClient {
    ObjectClient(
      try Bucket("s3://\(bucket)/\(prefix)", endpoint: endpoint ?? server.endpoint),
      keys: .fixed(AccessKey(id: S3Server.keyID, secret: secret)), pause: { _ in })
  }

  /// A file with bytes that differ everywhere.
  private func file(_ name: String, byteCount: Int) throws -> (path: String, Data, Digest) {
    var random = SeededRandom(seed: 7)
    let data = Data(
      (0..<byteCount / 8).flatMap { _ in
        withUnsafeBytes(of: UInt64.random(in: .min ... .max, using: &random)) { Array($0) }
      })
    let path = folder.path(name)
    try data.write(to: URL(filePath: path))
    return (path, data, Digest.of(data))
  }

  @Test func `an object is stored, described, read, listed, copied and removed`() throws {
    let client = try client()
    #expect(try client.head("a/one") == nil)
    #expect(try !client.get("a/one", to: folder.path("none")))
    let (path, data, digest) = try file("one", byteCount: 100_000)
    let before = Date() - 2
    // A store may accept only 256 bytes in one field of metadata.
    let note = String(repeating: "0123456789", count: 60)
    try client.put(fileAt: path, digest, as: "a/one", mark: "mark-1", note: note)
    let head = try #require(try client.head("a/one"))
    #expect(head.byteCount == 100_000 && head.mark == "mark-1" && head.date > before)
    #expect(head.note == note)
    #expect(try client.get("a/one", to: folder.path("read")))
    #expect(try Data(contentsOf: URL(filePath: folder.path("read"))) == data)

    try client.copy("a/one", to: "a/two", byteCount: 100_000, mark: "mark-2")
    // The copy has none of the note's parts, or parts that do not count.
    let copy = try #require(try client.head("a/two"))
    #expect(copy.mark == "mark-2" && copy.note == nil)
    try client.copy("a/one", to: "a/two", byteCount: 100_000, mark: "mark-3", note: "a note")
    #expect(try client.head("a/two")?.note == "a note")
    #expect { try client.copy("a/none", to: "a/b", byteCount: 1, mark: "m") } throws: { error in
      (error as? S3Error)?.code == .missing
    }
    try client.put(Data(), as: "b/three")
    var keys: [String] = []
    try client.forEach(beginningWith: "a/") { object in
      keys.append(object.key)
      #expect(object.byteCount == 100_000 && object.date > before)
      return true
    }
    #expect(keys == ["a/one", "a/two"])
    try client.delete("a/one")
    try client.delete("a/one")
    #expect(try client.head("a/one") == nil)
    #expect(try client.uploads().isEmpty)
  }

  @Test func `a large file is stored in parts, and appears when it is complete`() throws {
    let client = try client()
    let (path, data, _) = try file("large", byteCount: 11 * Self.megabyte)
    let upload = try MultipartUpload(
      of: path, as: "large", mark: "m", note: "a note", partSize: Int64(5 * Self.megabyte),
      to: client)
    #expect(try client.head("large") == nil)
    // A client does not list the uploads that it is sending.
    let (own, begun) = (try client.uploads(), try self.client().uploads())
    #expect(own.isEmpty)
    #expect(begun.map(\.key) == ["large"])
    try upload.complete()
    let head = try #require(try client.head("large"))
    #expect(head.mark == "m" && head.note == "a note")
    #expect(try client.get("large", to: folder.path("read")))
    #expect(try Data(contentsOf: URL(filePath: folder.path("read"))) == data)

    let other = try MultipartUpload(
      of: path, as: "other", mark: "m", partSize: Int64(5 * Self.megabyte), to: client)
    other.abort()
    let left = try client.uploads()
    #expect(try client.head("other") == nil)
    #expect(left.isEmpty)
  }

  @Test func `whoever has a link reads or stores one object`() throws {
    let client = try client()
    let (path, data, digest) = try file("linked", byteCount: 50_000)
    let plain = Client()
    let put = try client.link(toPut: "left", digest, byteCount: 50_000, lasting: 60)
    let request = ClientRequest(.put, put.url, headers: Headers(put.headers))
    #expect(try plain.uploadAndWait(request, file: path).status == .ok)
    let get = try client.link(toGet: "left", lasting: 60)
    #expect(get.headers.isEmpty)
    #expect(try plain.readRange(get.url, offset: 100, length: 50) == Array(data[100..<150]))
  }

  @Test(.enabled(if: S3Server.checksSignatures, "moto accepts every signature"))
  func `a link is for one method and one object, and a wrong key is refused`() throws {
    let client = try client()
    try client.put(Data("a".utf8), as: "left")
    let get = try client.link(toGet: "left", lasting: 60)
    let other = get.url.replacingOccurrences(of: "/left", with: "/right")
    for request in [ClientRequest(.get, other), ClientRequest(.delete, get.url)] {
      #expect(try Client().sendAndWait(request).status == .forbidden)
    }
    #expect { try self.client(secret: "wrong").head("left") } throws: { error in
      (error as? S3Error)?.code == .refused
    }
  }

  @Test func `a wrong bucket or address is named, and never means that an object is missing`()
    throws
  {
    #expect { try client(bucket: "none").head("a") } throws: { error in
      "\(error)".contains("check the bucket's name")
    }
    let web = try ScriptedServer { connection in
      guard connection.request() != nil else { return }
      connection.send(
        "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 6\r\n\r\n<html>")
    }
    defer { web.close() }
    for call in [
      { try $0.head("a") as Any }, { try $0.get("a", to: folder.path("a")) },
      { try $0.delete("a") }, { try $0.forEach(beginningWith: "") { _ in true } },
    ] as [(ObjectClient) throws -> Any] {
      #expect { try call(client(web.origin)) } throws: { error in
        (error as? S3Error)?.code == .unavailable
      }
    }
  }

  // MARK: - Faults

  /// Whether a fault is still to be applied.
  private func once() -> @Sendable () -> Bool {
    let isLeft = Mutex(true)
    return {
      isLeft.withLock { left in
        defer { left = false }
        return left
      }
    }
  }

  @Test(arguments: [
    FaultyProxy.Fault.answer(
      503, "application/xml", "<Error><Code>SlowDown</Code><Message>slow</Message></Error>"),
    .answer(500, "application/xml", "<Error><Code>InternalError</Code></Error>"),
    .answer(502), .swallow, .loseAnswer, .cutAnswer(after: 30), .answer(200),
  ])
  func `a request that fails in passing is repeated`(fault: FaultyProxy.Fault) throws {
    let (path, data, digest) = try file("a", byteCount: 100_000)
    for method in ["PUT", "GET", "HEAD", "DELETE"] {
      let isFirst = once()
      let proxy = try FaultyProxy(to: server.port) { request in
        request.method == method && isFirst() ? fault : nil
      }
      let client = try client(proxy.origin)
      try client.put(fileAt: path, digest, as: "a", mark: "m")
      #expect(try client.get("a", to: folder.path("read")), "\(method)")
      #expect(try Data(contentsOf: URL(filePath: folder.path("read"))) == data, "\(method)")
      #expect(try client.head("a")?.mark == "m")
      try client.delete("a")
      #expect(try client.head("a") == nil)
    }
  }

  @Test func `an answer that ends early is not taken for the whole object`() throws {
    let (path, data, digest) = try file("a", byteCount: 100_000)
    let isFirst = once()
    let proxy = try FaultyProxy(to: server.port) { request in
      request.method == "GET" && isFirst() ? .cutAnswer(after: 20_000) : nil
    }
    let client = try client(proxy.origin)
    try client.put(fileAt: path, digest, as: "a", mark: "m")
    #expect(try client.get("a", to: folder.path("read")))
    #expect(try Data(contentsOf: URL(filePath: folder.path("read"))) == data)
  }

  @Test(arguments: [
    FaultyProxy.Fault.answer(
      200, "application/xml", "<Error><Code>InternalError</Code><Message>late</Message></Error>"),
    // Stores that need long write spaces meanwhile.
    .answer(
      200, "application/xml",
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n  \n<Error><Code>InternalError</Code></Error>"),
    .loseAnswer, .swallow,
  ])
  func `an upload whose completion is not confirmed is complete in the end`(
    fault: FaultyProxy.Fault
  ) throws {
    let (path, data, _) = try file("large", byteCount: 6 * Self.megabyte)
    let isFirst = once()
    let proxy = try FaultyProxy(to: server.port) { request in
      request.method == "POST" && request.path.contains("uploadId=") && isFirst() ? fault : nil
    }
    let client = try client(proxy.origin)
    let upload = try MultipartUpload(
      of: path, as: "large", mark: "m", partSize: Int64(5 * Self.megabyte), to: client)
    try upload.complete()
    #expect(try client.get("large", to: folder.path("read")))
    #expect(try Data(contentsOf: URL(filePath: folder.path("read"))) == data)
  }

  @Test(arguments: ["", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"])
  func `a store that needs long to complete an upload may write spaces meanwhile`(
    declaration: String
  ) throws {
    let (path, _, _) = try file("small", byteCount: 16)
    let store = try ScriptedServer { connection in
      guard let request = connection.request() else { return }
      let pieces: [String] =
        switch request.method {
        case "PUT": []
        case _ where request.path.contains("uploads="): ["<Begun><UploadId>1</UploadId></Begun>"]
        default: [declaration, " ", "\n", "<CompleteMultipartUploadResult/>"]
        }
      connection.send(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nETag: \"1\"\r\nTransfer-Encoding: chunked\r\n\r\n")
      for piece in pieces.filter({ !$0.isEmpty }) + [""] {
        connection.send(String(piece.utf8.count, radix: 16) + "\r\n\(piece)\r\n")
      }
    }
    defer { store.close() }
    let upload = try MultipartUpload(
      of: path, as: "small", mark: "m", partSize: 8, to: client(store.origin))
    try upload.complete()
  }

  @Test func `another upload's object is not taken for this one's`() throws {
    let (path, _, digest) = try file("large", byteCount: 6 * Self.megabyte)
    let client = try client()
    let upload = try MultipartUpload(
      of: path, as: "large", mark: "mine", partSize: Int64(5 * Self.megabyte), to: client)
    upload.abort()
    try client.put(fileAt: path, digest, as: "large", mark: "another")
    #expect(throws: S3Error.self) { try upload.complete() }
  }

  @Test func `a copy that fails with the status 200 is repeated`() throws {
    let isFirst = once()
    let proxy = try FaultyProxy(to: server.port) { request in
      request.headers["x-amz-copy-source"] != nil && isFirst()
        ? .answer(200, "application/xml", "<Error><Code>InternalError</Code></Error>") : nil
    }
    let client = try client(proxy.origin)
    try client.put(Data("a".utf8), as: "a")
    try client.copy("a", to: "b", byteCount: 1, mark: "m")
    #expect(try client.head("b")?.mark == "m")
  }

  @Test func `a store that does not answer is left alone for a while`() throws {
    let proxy = try FaultyProxy(to: server.port) { _ in .swallow }
    let client = try client(proxy.origin)
    #expect(throws: S3Error.self) { try client.head("a") }
    let count = proxy.requests.count
    #expect { try client.head("a") } throws: { error in
      "\(error)".contains("the store is not responding")
    }
    #expect(proxy.requests.count == count)
  }

  @Test func `all pages of a list are read`() throws {
    let pages = [
      "": """
      <Contents><Key>\(prefix)/a</Key><Size>1</Size>
      <LastModified>2026-01-02T03:04:05.678Z</LastModified></Contents>
      <IsTruncated>true</IsTruncated><NextContinuationToken>x/y=</NextContinuationToken>
      """,
      "x%2Fy%3D": """
      <Contents><Key>\(prefix)/b</Key><Size>2</Size>
      <LastModified>2026-01-02T03:04:05Z</LastModified></Contents>
      <IsTruncated>false</IsTruncated>
      """,
    ]
    let store = try ScriptedServer { connection in
      guard let request = connection.request() else { return }
      let token = request.path.firstMatch(of: /continuation-token=([^&]*)/).map { String($0.1) }
      let page = "<ListBucketResult>\(pages[token ?? ""] ?? "")</ListBucketResult>"
      connection.send(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)")
    }
    defer { store.close() }
    var found: [ListedObject] = []
    try client(store.origin).forEach(beginningWith: "") { object in
      found.append(object)
      return true
    }
    #expect(found.map(\.key) == ["a", "b"] && found.map(\.byteCount) == [1, 2])
    #expect(
      found.map { $0.date.timeIntervalSince1970.rounded(.down) } == [1_767_323_045, 1_767_323_045])
  }
}
