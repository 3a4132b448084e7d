extension JobLimits {
  /// The job limits in a coordinator's configuration.
  package init(_ limits: Limits) {
    segments = limits.segmentsPerSubmitter
    segmentsAtOnce = limits.segments
    assets = limits.assetsPerSubmitter
    assetBytesPerSubmitter = limits.assetBytesPerSubmitter
    assetBytes = limits.assetBytes
    chunkBytes = limits.chunkBytes
    planning = limits.planning
  }
}
