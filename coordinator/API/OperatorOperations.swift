import FarmAPI
import Foundation
import HTTP

extension Services {
  /// The routes for the farm's operator.
  var operatorOperations: [Operation] {
    [
      Operation(.get, "/", "The status page", for: .anyone) { request, _ in
        try StatusPage.response(to: request, file: StatusPage.index)
      }
      .tagged().answering(.ok, "The page", .text("text/html")),

      Operation(.get, "/page/{file}", "Get a file of the status page", for: .anyone) { request, _ in
        try StatusPage.response(to: request, file: request.parameter("file"))
      }
      .tagged().answering(.ok, "The file", .bytes(StatusPage.contentTypes))
      .refusing(.notFound, .notFound),

      Operation(
        .get, "/metrics", "Get metrics in the text format of Prometheus", for: .observers
      ) { _, _ in
        .text(try await metrics().text, contentType: MetricsPage.contentType)
      }
      .answering(.ok, "The metrics", .text("text/plain")),

      Operation(
        .get, "/api/v1/scrub", "Get the progress of the search for damaged files", for: .observers
      ) { _, _ in
        try .wire(scrubber.status)
      }
      .answering(.ok, "The progress", .json(.scrubStatus)),

      Operation(.get, "/healthz", "Check that the coordinator is running", for: .anyone) { _, _ in
        .text("ok\n")
      }
      .answering(.ok, "The coordinator is running", .text("text/plain")),

      Operation(.get, "/readyz", "Check that the coordinator accepts work", for: .anyone) {
        _, _ in
        var obstacle = access.obstacle()
        if obstacle == nil { obstacle = await farm.checkReadiness(within: .seconds(5)) }
        if let problem = obstacle {
          throw HTTPError(
            .serviceUnavailable, type: ProblemType.unavailable.rawValue, detail: problem)
        }
        return .text("ok\n")
      }
      .answering(.ok, "The coordinator accepts work", .text("text/plain")),
    ]
  }

  /// The route that describes the others.
  func descriptionOperation(_ operations: [Operation]) -> Operation {
    Operation(.get, "/openapi.json", "Get this description", for: .everyRole) { _, _ in
      .json(data: try OpenAPI.document(operations + [descriptionOperation([])]))
    }
    .answering(.ok, "The description", .object)
  }
}
