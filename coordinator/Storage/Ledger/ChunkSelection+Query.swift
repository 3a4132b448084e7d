import Foundation
import SQL

extension ChunkSelection {
  /// A query for the ids of the selected deliveries, and the values of its parameters.
  ///
  /// It contains a condition for each property that is set and no others, so that the database can use an index:
  /// coordinators keep millions of deliveries.
  package var query: (text: String, values: [any Storable]) {
    var conditions: [String] = []
    var values: [any Storable] = []
    func add(_ condition: String, _ value: (any Storable)?) {
      guard let value else { return }
      values.append(value)
      conditions.append(condition.replacing("?", with: "?\(values.count)"))
    }
    add("token = ?", token)
    add("worker IN (SELECT workers.id FROM workers WHERE workers.name = ?)", worker)
    add("delivered_at >= ?", since?.timeIntervalSince1970)
    add("delivered_at <= ?", until?.timeIntervalSince1970)
    let all = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    return ("SELECT deliveries.id FROM deliveries\(all)", values)
  }
}
