import Foundation
import S3
import Support
import Synchronization
import Testing

@Suite(.mayBlock, .timeLimit(.minutes(15))) struct KeySourceTests {
  @Test func `a key is read from a profile of a file, and again if the store rejects it`() throws {
    let folder = try TemporaryDirectory()
    let file = folder.path("credentials")
    func write(_ id: String) throws {
      let text = """
        [other]
        aws_access_key_id = OTHER
        aws_secret_access_key = X
        [default]
        # a comment
        aws_access_key_id=\(id)
        aws_secret_access_key = abc/d+e=
        """
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      #expect(chmod(file, 0o640) == 0)
    }
    try write("FIRST")
    let keys = KeySource.file(file)
    let first = try keys.current()
    #expect(first.id == "FIRST")
    try write("SECOND")
    #expect(try keys.current().id == "FIRST")
    #expect(try keys.current(otherThan: first).id == "SECOND")
  }

  @Test func `a file without a key says what to write, and no message contains a secret`() throws {
    let folder = try TemporaryDirectory()
    let file = folder.path("credentials")
    try "[default]\naws_secret_access_key = hidden\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    #expect { try KeySource.file(file).current() } throws: { error in
      "\(error)".contains("chmod o= \(file)")
    }
    #expect(chmod(file, 0o600) == 0)
    #expect { try KeySource.file(file).current() } throws: { error in
      "\(error)".contains(file) && "\(error)".contains("aws_access_key_id = ID")
        && !"\(error)".contains("hidden")
    }
    let key = AccessKey(id: "ID", secret: "hidden", session: "token")
    #expect(!"\(key)".contains("hidden") && !String(reflecting: key).contains("hidden"))
  }

  @Test func `an instance's key is fetched with a token, and renewed before it expires`() throws {
    let count = Mutex(0)
    let service = try ScriptedServer { connection in
      guard let request = connection.request() else { return }
      let body: String
      switch (request.method, request.path) {
      case ("PUT", "/latest/api/token"): body = "ticket"
      case _ where request.headers["x-aws-ec2-metadata-token"] != "ticket": return
      case ("GET", "/latest/meta-data/iam/security-credentials/"): body = "render-role\n"
      case ("GET", "/latest/meta-data/iam/security-credentials/render-role"):
        let number = count.withLock { count in
          count += 1
          return count
        }
        body = """
          {"Code": "Success", "AccessKeyId": "KEY\(number)", "SecretAccessKey": "s", "Token": "t",
           "Expiration": "2030-01-01T0\(number):00:00Z"}
          """
      default: return
      }
      connection.send(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
    defer { service.close() }
    let now = Mutex(try Date("2030-01-01T00:00:00Z", strategy: .iso8601))
    let keys = KeySource.instance(service.origin) { now.withLock(\.self) }
    #expect(try keys.current().id == "KEY1")
    now.withLock { $0 += 3000 }
    let first = try keys.current()
    #expect(first.id == "KEY1" && first.session == "t")
    now.withLock { $0 += 400 }
    #expect(try keys.current().id == "KEY2")
  }

  @Test func `without a role, the message says what to do`() throws {
    let service = try ScriptedServer { connection in
      guard connection.request() != nil else { return }
      connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    }
    defer { service.close() }
    #expect { try KeySource.instance(service.origin).current() } throws: { error in
      "\(error)".contains("use --store-key-file")
    }
  }
}
