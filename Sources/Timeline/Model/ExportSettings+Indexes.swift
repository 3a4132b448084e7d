extension ExportSettings {
  /// The indexes for this export. If packets are copied, pictures other than still images are taken as they are stored.
  package func indexes(_ indexes: [String: MediaIndex]) -> [String: MediaIndex] {
    isPassthrough ? indexes.mapValues { $0.isStillImage ? $0 : $0.coded } : indexes
  }
}
