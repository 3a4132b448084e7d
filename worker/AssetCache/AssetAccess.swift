import HTTP

/// The ways to an asset's bytes: shared files, and the coordinator through the block cache.
struct AssetAccess: Sendable {
  let cache: BlockCache
  let client: Client
  let connection: CoordinatorConnection
  let shared: SharedMedia
  let failures: AssetFailures
  let blocks = AssetBlocks()

  init(
    cache: BlockCache, client: Client, connection: CoordinatorConnection, shared: SharedMedia,
    failures: AssetFailures
  ) {
    self.cache = cache
    self.client = client
    self.connection = connection
    self.shared = shared
    self.failures = failures
  }
}
