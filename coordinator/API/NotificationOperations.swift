import FarmAPI
import HTTP

extension Services {
  /// The routes of notifications.
  var notificationOperations: [Operation] {
    [
      Operation(
        .get, "/api/v1/jobs/{id}/deliveries", "List the notifications about a job, oldest first",
        for: .readers
      ) { request, caller in
        try .wire(try await farm.deliveries(of: request.job, for: caller))
      }
      .answering(.ok, "The deliveries", .list(.notificationDelivery)).refusing(
        .notFound, .notFound),

      Operation(
        .get, "/api/v1/webhooks", "Get the receivers of notifications and the latest deliveries",
        for: .observers
      ) { _, _ in
        try .wire(try await farm.webhookStatus())
      }
      .answering(.ok, "The receivers and deliveries", .json(.webhookStatus)),
    ]
  }
}
