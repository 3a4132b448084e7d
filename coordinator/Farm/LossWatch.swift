/// Tells the farm which stored assets are lost.
actor LossWatch {
  private let farm: Farm
  private let assets: AssetStore
  private var watch: Task<Void, Never>?

  init(farm: Farm, assets: AssetStore) {
    self.farm = farm
    self.assets = assets
  }

  /// Begins to watch the store.
  func start() {
    watch = Task { [farm, assets] in
      for await asset in assets.losses {
        await farm.loseStored(asset.digest, because: asset.reason)
      }
    }
  }

  /// Stops watching.
  func stop() async {
    watch?.cancel()
    await watch?.value
  }
}
