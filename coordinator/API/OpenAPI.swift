import FarmAPI
import Foundation
import HTTP

/// Describes the routes in OpenAPI's format.
enum OpenAPI {
  /// The document as JSON.
  static func document(_ operations: [Operation]) throws -> Data {
    var paths: [String: [String: JSON]] = [:]
    var schemas: [String: JSON] = ["Problem": problem]
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

  private static let problem: JSON = [
    "type": "object",
    "properties": [
      "type": ["type": "string", "format": "uri-reference"], "title": ["type": "string"],
      "status": ["type": "integer"], "detail": ["type": "string"],
    ],
    "required": ["type", "title", "status", "detail"],
    "additionalProperties": ["type": "string"],
  ]

  private static func describe(_ operation: Operation) -> JSON {
    var description: [String: JSON] = ["summary": .string(operation.summary)]
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
        "schema": name == "digest" ? SchemaDecoder.digest : ["type": "string"],
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
      if let found = answer.content { response["content"] = content(found) }
      responses["\(answer.status.rawValue)"] = .object(response)
    }
    var problems = operation.problems
    if !operation.audience.includesStrangers {
      problems += [(.unauthorized, .unauthorized), (.forbidden, .forbidden)]
    }
    for (status, types) in Dictionary(grouping: problems, by: \.status) {
      responses["\(status.rawValue)"] = [
        "description": .string(types.map(\.type.rawValue).joined(separator: ", ")),
        "content": [
          "application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]
        ],
      ]
    }
    description["responses"] = .object(responses)
    return .object(description)
  }

  private static func content(_ content: Operation.Content) -> JSON {
    switch content {
    case .json(let schema): ["application/json": ["schema": reference(schema)]]
    case .list(let schema):
      ["application/json": ["schema": ["type": "array", "items": reference(schema)]]]
    case .bytes(let types):
      .object(
        Dictionary(types.map { ($0, ["schema": ["type": "string", "format": "binary"]]) }) { $1 })
    case .events: ["text/event-stream": ["schema": ["type": "string"]]]
    case .text(let type): .object([type: ["schema": ["type": "string"]]])
    }
  }

  private static func reference(_ schema: Schema) -> JSON {
    ["$ref": .string("#/components/schemas/\(schema.name)")]
  }
}

extension Operation {
  /// The names in braces in the path.
  fileprivate var pathParameters: [String] {
    path.split(separator: "/").filter { $0.hasPrefix("{") && $0.hasSuffix("}") }
      .map { String($0.dropFirst().dropLast()) }
  }

  /// The schemas of the wire types in the operation's requests and responses.
  fileprivate var schemas: [Schema] {
    ([input] + answers.map(\.content)).compactMap { content in
      switch content {
      case .json(let schema), .list(let schema): schema
      default: nil
      }
    }
  }
}
