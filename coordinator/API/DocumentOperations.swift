import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Scheduling
import Timeline

extension Services {
  /// The routes of documents about jobs.
  var documentOperations: [Operation] {
    [
      Operation(
        .get, "/api/v1/jobs/{id}/project", "Get the project as it was submitted", for: .readers
      ) { request, caller in
        try await project(request, for: caller)
      }
      .tagged().answering(.ok, "The project's text", .object)
      .refusing(.notFound, .notFound),

      Operation(
        .get, "/api/v1/jobs/{id}/plan", "List the segments of a job's plan in order",
        for: .readers
      ) { request, caller in
        let (id, after, limit) = (try request.job, try request.after, try request.limit)
        return try await listing.run(for: caller.name) {
          try .wire(await farm.planSegments(of: id, after: after, limit: limit, for: caller))
        }
      }
      .with(
        Operation.Parameter(
          name: "limit", place: "query",
          summary: "The maximum number of segments, 1 to 1000 (1000)",
          schema: SchemaDecoder.count(from: 1, to: 1000), isRequired: false)
      )
      .with(
        Operation.Parameter(
          name: "after", place: "query", summary: "Only segments after the one with this index",
          schema: SchemaDecoder.index, isRequired: false)
      )
      .answering(.ok, "The segments; none until the job is planned", .list(.planSegment))
      .refusing(.notFound, .notFound),

      Operation(
        .get, "/api/v1/jobs/{id}/timeline", "Get a job's timeline, once it is planned",
        for: .readers
      ) { request, caller in
        let id = try request.job
        return try await listing.run(for: caller.name) {
          try .wire(data: await farm.document(.timeline, of: id, for: caller))
        }
      }
      .answering(.ok, "The timeline", .json(.jobTimeline)).refusing(.notFound, .notFound),

      Operation(
        .get, "/api/v1/jobs/{id}/waveform",
        "Get the peaks of a job's sound, once it is mixed; sound that is copied as a whole has none",
        for: .readers
      ) { request, caller in
        let id = try request.job
        return try await listing.run(for: caller.name) {
          try .wire(data: await farm.document(.waveform, of: id, for: caller))
        }
      }
      .answering(.ok, "The waveform", .json(.waveform)).refusing(.notFound, .notFound),
    ]
  }

  /// Sends the text of a job's project. The queries of URLs may be credentials, so only the submitter and
  /// administrators get them.
  private func project(_ request: Request, for caller: Caller) async throws -> Response {
    let headers: Headers = ["Content-Type": "application/json"]
    switch try await farm.project(of: request.job, for: caller) {
    case .text(let text):
      guard caller.role == .observer else {
        return Response(.ok, headers: headers, body: .bytes(Data(text.utf8)))
      }
      return try await threads.run {
        Response(.ok, headers: headers, body: .bytes(Data(Self.withoutQueries(inJSON: text).utf8)))
      }
    case .file(let digest):
      let missing = HTTPError(
        .notFound, type: ProblemType.notFound.rawValue, detail: "the project is missing")
      let project = { @Sendable [documents] () throws -> String in
        guard let path = try documents.localPath(of: .project(digest)) else {
          throw missing
        }
        return path
      }
      guard caller.role == .observer else {
        // Without `Range`, because a part of a JSON document is useless.
        var conditions: Headers = [:]
        conditions["If-None-Match"] = request.headers["If-None-Match"]
        let whole = try Request(request.method, request.path, headers: conditions)
        return try await threads.run {
          try Response.file(
            path: project(), request: whole, contentType: "application/json",
            etag: digest.description)
        }
      }
      return try await listing.run(for: caller.name) {
        try await threads.run {
          guard let data = FileManager.default.contents(atPath: try project()) else {
            throw missing
          }
          let text = Self.withoutQueries(inJSON: String(decoding: data, as: UTF8.self))
          return Response(.ok, headers: headers, body: .bytes(Data(text.utf8)))
        }
      }
    }
  }

  /// The text of a JSON document whose URLs have no queries. JSON may escape the characters by which a URL is found:
  /// some encoders write `https:\/\/`.
  static func withoutQueries(inJSON text: String) -> String {
    var plain = text.replacing("\\/", with: "/")
    for code in UInt8(0x21)...0x7e where ![UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(code) {
      let character = String(Unicode.Scalar(code))
      let digits = String(code, radix: 16)
      for spelling in Set([digits, digits.uppercased()]) {
        plain = plain.replacing("\\u00\(spelling)", with: character)
      }
    }
    return AssetURL.withoutQueries(plain)
  }
}
