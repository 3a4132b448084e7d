/// Tells the farm how the uploads of chunks proceed.
actor UploadWatch {
  private let farm: Farm
  private let chunks: ChunkStore
  private var watch: Task<Void, Never>?

  init(farm: Farm, chunks: ChunkStore) {
    self.farm = farm
    self.chunks = chunks
  }

  /// Begins to watch the store.
  func start() {
    watch = Task { [farm, chunks] in
      for await event in chunks.uploadEvents {
        switch event.kind {
        case .arriving: await farm.chunkArrives(event.lease)
        case .refused(let reason): await farm.refuse(event.lease, reason)
        }
      }
    }
  }

  /// Stops watching.
  func stop() async {
    watch?.cancel()
    await watch?.value
  }
}
