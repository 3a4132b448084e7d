import HTTP
import Synchronization

/// Counts the requests that the server has answered, by route. Paths are not labels, because they contain ids and tokens.
package final class HTTPMeter: Sendable {
  private struct Key: Hashable {
    let method: String
    let route: String
    let status: String
  }

  private struct Figures {
    var latency = Histogram(HTTPMeter.bounds)
    var requests = 0
    var bytes: Int64 = 0
  }

  private static let bounds = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 30]
  /// The methods that are labels. Clients may send any word as a method.
  private static let methods: Set<Method> = [.get, .head, .post, .put, .delete]

  private let figures = Mutex<[Key: Figures]>([:])

  package init() {}

  /// Counts a request.
  package func note(_ exchange: FinishedExchange) {
    let method = exchange.head.method
    let key = Key(
      method: Self.methods.contains(method) ? method.rawValue : "other",
      route: exchange.template ?? "none",
      status: exchange.status.map { "\($0.rawValue / 100)xx" } ?? "none")
    figures.withLock { figures in
      figures[key, default: Figures()].requests += 1
      figures[key, default: Figures()].bytes += exchange.byteCount
      if let latency = exchange.latency { figures[key]?.latency.observe(latency) }
    }
  }

  /// Adds the counts to a page.
  package func add(to page: inout MetricsPage) {
    let all = figures.withLock { $0 }.map { key, figures in
      (
        ["method": key.method, "route": key.route, "status": key.status] as MetricsPage.Labels,
        figures, key
      )
    }
    .sorted { ($0.2.route, $0.2.method, $0.2.status) < ($1.2.route, $1.2.method, $1.2.status) }
    page.counter(
      "sheaf_http_requests_total",
      "Requests by method, route and class of status; none is a client that disconnected.",
      all.map { .init($0.1.requests, $0.0) })
    page.counter(
      "sheaf_http_response_bytes_total", "Bytes of the contents of responses.",
      all.map { .init(Int($0.1.bytes), $0.0) })
    page.histogram(
      "sheaf_http_request_duration_seconds",
      "Time until the response began. Requests for a lease and for chunks include waiting.",
      all.map { ($0.0, $0.1.latency) })
  }
}
