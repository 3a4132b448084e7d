import FarmAPI
import Foundation
import HTTP

/// Describes the routes in OpenAPI's format.
enum OpenAPI {
  /// The document as JSON.
  static func document(_ operations: [Operation]) throws -> Data {
    var paths: [String: [String: JSON]] = [:]
    var schemas = [Schema.problem.name: try Schema.problem.json()]
    for operation in operations {
      for schema in operation.schemas { schemas[schema.name] = try schema.json() }
      paths[operation.path, default: [:]][operation.method.rawValue.lowercased()] =
        describe(operation)
    }
    let document: JSON = [
      "openapi": "3.1.0",
      "info": ["title": "Sheaf coordinator", "version": "1"],
      "paths": .object(paths.mapValues { .object($0) }),
      "components": [
        "schemas": .object(schemas),
        "responses": .object(commonResponses),
        "securitySchemes": [
          "token": ["type": "http", "scheme": "bearer"],
          "session": [
            "type": "apiKey", "in": "cookie", "name": .string(Sessions.cookie(isSecure: true)),
            "description": .string(
              "The name without TLS is \(Sessions.cookie(isSecure: false))."),
          ],
        ],
      ],
    ]
    return try FarmCoding.encode(document)
  }

  /// The responses with which every route may respond, by the name that refers to them.
  private static let commonResponses: [String: JSON] = Dictionary(
    Operation.commonProblems.map { (name(of: $0), response($0, $1)) }
  ) { $1 }

  /// The name of a response: its phrase without spaces.
  private static func name(of status: Status) -> String {
    status.phrase.filter { $0 != " " }
  }

  /// The schemas of parameters of paths that are not texts.
  private static let pathSchemas = ["digest": SchemaDecoder.digest, "index": SchemaDecoder.index]

  private static func describe(_ operation: Operation) -> JSON {
    var description: [String: JSON] = [
      "summary": .string(operation.summary), "operationId": .string(operation.name),
      "tags": [.string(operation.tag)],
    ]
    if operation.audience.includesStrangers {
      description["security"] = []
    } else {
      description["security"] = [["token": []], ["session": []]]
      description["description"] = .string(
        "For: " + operation.audience.roles.map(\.rawValue).sorted().joined(separator: ", "))
    }
    let inPath = operation.pathParameters.map { name -> JSON in
      [
        "name": .string(name), "in": "path", "required": true,
        "schema": pathSchemas[name] ?? ["type": "string"],
      ]
    }
    let others = operation.parameters.map { parameter -> JSON in
      [
        "name": .string(parameter.name), "in": .string(parameter.place),
        "description": .string(parameter.summary), "required": .bool(parameter.isRequired),
        "schema": parameter.schema,
      ]
    }
    if !(inPath + others).isEmpty { description["parameters"] = .array(inPath + others) }
    if let input = operation.input {
      description["requestBody"] = ["required": true, "content": content(input)]
    }
    var responses: [String: JSON] = [:]
    for answer in operation.answers {
      var response: [String: JSON] = ["description": .string(answer.summary)]
      if let found = answer.content, operation.method != .head {
        response["content"] = content(found)
      }
      if !answer.headers.isEmpty {
        response["headers"] = .object(answer.headers.mapValues { ["schema": $0] })
      }
      responses["\(answer.status.rawValue)"] = .object(response)
    }
    for (status, types) in operation.problemTypes {
      let isCommon = Operation.commonProblems[status] == types && operation.method != .head
      responses["\(status.rawValue)"] =
        isCommon
        ? ["$ref": .string("#/components/responses/\(name(of: status))")]
        : response(status, types, hasContent: operation.method != .head)
    }
    description["responses"] = .object(responses)
    return .object(description)
  }

  /// A response with a problem of one of these types.
  private static func response(
    _ status: Status, _ types: [ProblemType], hasContent: Bool = true
  ) -> JSON {
    var response: [String: JSON] = [
      "description": .string(
        "\(status.phrase): " + types.map(\.rawValue).joined(separator: ", "))
    ]
    if hasContent {
      response["content"] = [
        "application/problem+json": ["schema": reference(.problem)]
      ]
    }
    let headers: [String: JSON] =
      switch status {
      case .unauthorized: ["WWW-Authenticate": ["type": "string"]]
      case .tooManyRequests, .serviceUnavailable: ["Retry-After": SchemaDecoder.count(from: 0)]
      case .conflict where types.contains(.uploadOffset):
        ["Upload-Offset": SchemaDecoder.count(from: 0)]
      case .rangeNotSatisfiable: ["Content-Range": ["type": "string"]]
      default: [:]
      }
    if !headers.isEmpty { response["headers"] = .object(headers.mapValues { ["schema": $0] }) }
    return .object(response)
  }

  private static func content(_ content: Operation.Content) -> JSON {
    switch content {
    case .json(let schema): ["application/json": ["schema": reference(schema)]]
    case .list(let schema):
      ["application/json": ["schema": ["type": "array", "items": reference(schema)]]]
    case .bytes(let types):
      .object(
        Dictionary(types.map { ($0, ["schema": ["type": "string", "format": "binary"]]) }) { $1 })
    case .object: ["application/json": ["schema": ["type": "object"]]]
    case .events(let kinds): ["text/event-stream": ["schema": event(kinds)]]
    case .text(let type): .object([type: ["schema": ["type": "string"]]])
    }
  }

  /// The schema of one event of a stream, as OpenAPI 3.2 describes it.
  private static func event(_ kinds: [EventKind]) -> JSON {
    [
      "description": "One event of the stream.", "type": "object",
      "properties": [
        "event": ["type": "string", "enum": .array(kinds.map { .string($0.rawValue) })],
        "id": ["type": "string"], "retry": SchemaDecoder.count(from: 0),
        "data": [
          "type": "string", "contentMediaType": "application/json",
          "contentSchema": ["anyOf": .array(kinds.map { reference($0.schema) })],
        ],
      ],
      "required": ["data"],
    ]
  }

  private static func reference(_ schema: Schema) -> JSON {
    ["$ref": .string("#/components/schemas/\(schema.name)")]
  }
}

extension EventKind {
  /// The schema of the data of such an event.
  fileprivate var schema: Schema {
    switch self {
    case .job: .jobStatus
    case .worker: .workerStatus
    case .removed: .removal
    }
  }
}

extension Operation {
  /// The parts of the path below `/api/v1`.
  private var parts: [Substring] {
    path.split(separator: "/").filter { $0 != "api" && $0 != "v1" }
  }

  /// A unique name for generated clients, such as `getJobsIdSegments`.
  fileprivate var name: String {
    method.rawValue.lowercased()
      + parts.flatMap { $0.split { !$0.isLetter } }.map {
        $0.prefix(1).uppercased() + $0.dropFirst()
      }
      .joined()
  }

  /// The group of routes to which it belongs.
  fileprivate var tag: String { parts.first.map(String.init) ?? "page" }

  /// The names in braces in the path.
  fileprivate var pathParameters: [String] {
    path.split(separator: "/").filter { $0.hasPrefix("{") && $0.hasSuffix("}") }
      .map { String($0.dropFirst().dropLast()) }
  }

  /// The schemas of the wire types in the operation's requests and responses.
  fileprivate var schemas: [Schema] {
    ([input] + answers.map(\.content)).flatMap { content -> [Schema] in
      switch content {
      case .json(let schema), .list(let schema): [schema]
      case .events(let kinds): kinds.map(\.schema)
      default: []
      }
    }
  }
}
