import Foundation

extension TokenFile {
  /// Creates a token and adds its record to the file. Blocks until the record is on disk.
  ///
  /// - Returns: the token, which is stored nowhere, and its record.
  /// - Throws: ``StorageError``.
  package func create(
    role: Role, name: String, at date: Date
  ) throws -> (token: String, record: TokenRecord) {
    let (token, record) = TokenRecord.make(role: role, name: name, at: date)
    try update { $0.append(record) }
    return (token, record)
  }

  /// Revokes the active tokens with an id, or if there is no such token, those with that name. Blocks until they are on
  /// disk. If `keepsChunks` is true, chunks that were delivered with them stay usable.
  ///
  /// - Returns: the revoked tokens.
  /// - Throws: ``StorageError``.
  package func revoke(
    idOrName subject: String, keepingChunks keepsChunks: Bool = false, at date: Date
  ) throws -> [TokenRecord] {
    try update { records in
      let isID = records.contains { $0.id == subject }
      return Self.revoke(in: &records, keepingChunks: keepsChunks, at: date) {
        isID ? $0.id == subject : $0.name == subject
      }
    }
  }

  /// Revokes the token with an id, unless it is revoked already. Blocks until that is on disk.
  ///
  /// - Returns: the token; `nil` if there is none.
  /// - Throws: ``StorageError``.
  package func revoke(id: String, at date: Date) throws -> TokenRecord? {
    try update { records in
      _ = Self.revoke(in: &records, at: date) { $0.id == id }
      return records.first { $0.id == id }
    }
  }

  private static func revoke(
    in records: inout [TokenRecord], keepingChunks keepsChunks: Bool = false, at date: Date,
    where isMeant: (TokenRecord) -> Bool
  ) -> [TokenRecord] {
    // The file stores whole seconds.
    let date = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
    var revoked: [TokenRecord] = []
    for index in records.indices where records[index].isActive && isMeant(records[index]) {
      records[index].revokedAt = date
      if keepsChunks { records[index].keepsChunks = true }
      revoked.append(records[index])
    }
    return revoked
  }
}
