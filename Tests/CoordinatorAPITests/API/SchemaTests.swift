import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// The description of the API states what its responses contain.
@Suite(.mayBlock) struct SchemaTests {
  /// A member of the description.
  ///
  /// - Parameter path: the names of the members that contain it, from the outermost, and its own.
  private static func member(_ path: String..., of farm: TestFarm) async throws -> Any? {
    let response = await farm.coordinator.router.respond(to: try Request(.get, "/openapi.json"))
    let document = try JSONSerialization.jsonObject(with: await response.content())
    return path.reduce(document) { ($0 as? [String: Any])?[$1] as Any }
  }

  private static func schemas(_ farm: TestFarm) async throws -> [String: Any] {
    try #require(try await member("components", "schemas", of: farm) as? [String: Any])
  }

  @Test(arguments: [
    ("/api/v1/jobs/{id}/events", ["job", "removed"]),
    ("/api/v1/events", ["job", "worker", "removed"]),
  ])
  func `a stream is described with the kinds of its events`(
    path: String, kinds: [String]
  ) async throws {
    let found = try await Self.member(
      "paths", path, "get", "responses", "200", "content", "text/event-stream", "schema",
      "properties", "event", "enum", of: TestFarm())
    #expect(found as? [String] == kinds)
  }

  @Test func `a schema names required members, enumerations and formats`() async throws {
    let schemas = try await Self.schemas(TestFarm())
    let job = try #require(schemas["JobStatus"] as? [String: Any])
    let members = try #require(job["properties"] as? [String: [String: Any]])
    #expect(
      job["required"] as? [String]
        == ["createdAt", "framesRendered", "id", "name", "segments", "state"])
    #expect(
      members["state"]?["enum"] as? [String]
        == [
          "queued", "planning", "rendering", "assembling", "completed", "failed", "cancelled",
        ])
    #expect(members["createdAt"]?["format"] as? String == "date-time")
    #expect(members["planHash"]?["pattern"] as? String == "^[0-9a-f]{64}$")
    #expect(members["priority"]?["type"] as? String == "integer")
    let concealed = try #require(members["concealed"]?["items"] as? [String: Any])
    #expect(concealed["required"] as? [String] == ["asset", "time"])
    let submission = try #require(schemas["JobSubmission"] as? [String: Any])
    let assets = (submission["properties"] as? [String: [String: Any]])?["assets"]
    let reference = try #require(assets?["additionalProperties"] as? [String: Any])
    #expect(reference["required"] as? [String] == ["byteCount", "digest"])
  }

  @Test func `responses match their schemas`() async throws {
    let farm = try await TestFarm()
    let schemas = try await Self.schemas(farm)
    let job = try await farm.submit()
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    for (path, name) in [
      ("/api/v1/jobs/\(job.id)", "JobStatus"), ("/api/v1/scrub", "ScrubStatus"),
      ("/session", "SessionStatus"), ("/api/v1/jobs/none", "Problem"),
    ] {
      let response = await farm.coordinator.router.respond(to: try Request(.get, path))
      let body = try JSONSerialization.jsonObject(with: await response.content())
      let schema = try #require(schemas[name] as? [String: Any])
      #expect(Self.problems(of: body, schema, at: name) == [])
    }
  }

  @Test func `a response with a wrong, missing or undescribed member does not match`() {
    let schema: [String: Any] = [
      "type": "object", "properties": ["a": ["type": "string"]], "required": ["a"],
    ]
    #expect(Self.problems(of: ["a": "x"], schema, at: "") == [])
    #expect(Self.problems(of: ["a": 1], schema, at: "") == [".a is not a string"])
    #expect(Self.problems(of: [String: Any](), schema, at: "") == [".a is missing"])
    #expect(Self.problems(of: ["a": "x", "b": 1], schema, at: "") == [".b is not described"])
  }

  /// The differences between a value and a schema that uses the keywords of the API's schemas.
  private static func problems(of value: Any, _ schema: [String: Any], at path: String) -> [String]
  {
    if let choices = schema["oneOf"] as? [[String: Any]] {
      return choices.contains { problems(of: value, $0, at: path).isEmpty }
        ? [] : ["\(path) is none of the choices"]
    }
    switch schema["type"] as? String {
    case "object":
      guard let object = value as? [String: Any] else { return ["\(path) is not an object"] }
      let members = schema["properties"] as? [String: [String: Any]] ?? [:]
      let more = schema["additionalProperties"] as? [String: Any]
      let missing = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }
        .map { "\(path).\($0) is missing" }
      return missing
        + object.sorted { $0.key < $1.key }.flatMap { name, value in
          guard let member = members[name] ?? more else {
            return ["\(path).\(name) is not described"]
          }
          return problems(of: value, member, at: "\(path).\(name)")
        }
    case "array":
      guard let list = value as? [Any], let items = schema["items"] as? [String: Any] else {
        return ["\(path) is not a list"]
      }
      return list.flatMap { problems(of: $0, items, at: "\(path)[]") }
    case "string":
      guard let text = value as? String else { return ["\(path) is not a string"] }
      if let cases = schema["enum"] as? [String], !cases.contains(text) {
        return ["\(path) is none of the cases: \(text)"]
      }
      if let pattern = schema["pattern"] as? String,
        text.range(of: pattern, options: .regularExpression) == nil
      {
        return ["\(path) does not match: \(text)"]
      }
      return []
    case "integer": return value is Int ? [] : ["\(path) is not an integer"]
    case "number": return value is Double ? [] : ["\(path) is not a number"]
    case "boolean": return value is Bool ? [] : ["\(path) is not a boolean"]
    default: return ["\(path) has an unknown type"]
    }
  }
}
