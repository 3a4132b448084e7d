import HTTP
import PostgreSQL
import SQL

/// The coordinator that owns a ledger, as the others see it.
struct LedgerOwner: Hashable, Sendable {
  /// Whether another coordinator may claim the ledger, because the claim has expired or was given up.
  let isOver: Bool
  /// Where it accepts connections that are passed on; `nil` if it does not.
  let entrance: RelayTarget?
  /// Where connections are passed on to; `nil` if there is no such place.
  var target: RelayTarget? { isOver ? nil : entrance }

  /// Reads the owner of a ledger. Blocks.
  static func read(_ connection: Connection) throws -> LedgerOwner {
    let owner = try connection.first(
      """
      SELECT expires_at < clock_timestamp() AS is_over, address, relay_key FROM ledger_owner
      """
    ) { row in
      let place = SocketPlace(try row.get("address") as String)
      let key: String = try row.get("relay_key")
      return LedgerOwner(
        isOver: try row.get("is_over"), entrance: place.map { RelayTarget($0, key: key) })
    }
    return owner ?? LedgerOwner(isOver: true, entrance: nil)
  }
}
