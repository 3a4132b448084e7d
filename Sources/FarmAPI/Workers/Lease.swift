import Crypto
import Planning

/// The response to `POST /workers/{id}/leases`: one segment to render. 204 if none became available in time.
public struct Lease: Hashable, Codable, Sendable {
  /// The request header that carries the lease's token when a worker reads an asset.
  public static let headerName = "Sheaf-Lease"

  /// The token that proves that the lease belongs to the worker.
  public var token: String
  /// The id of the job that the segment belongs to.
  public var job: String
  /// The segment's index in the plan, from 0.
  public var segment: Int
  /// The number of the attempt at the segment, from 1.
  public var attempt: Int
  /// The time that the lease lasts without a heartbeat, in milliseconds.
  public var durationMilliseconds: Int
  /// The interval between heartbeats, in milliseconds.
  public var heartbeatMilliseconds: Int
  /// The peak memory that rendering the segment is expected to need, in bytes; `nil` from a coordinator that does not
  /// know it.
  public var memory: Int?
  /// The segment to render.
  public var description: SegmentDescription
  /// Every asset that the description names.
  public var assets: [LeasedAsset]

  /// Creates a lease.
  public init(
    token: String, job: String, segment: Int, attempt: Int, durationMilliseconds: Int,
    heartbeatMilliseconds: Int, memory: Int? = nil, description: SegmentDescription,
    assets: [LeasedAsset]
  ) {
    self.token = token
    self.job = job
    self.segment = segment
    self.attempt = attempt
    self.durationMilliseconds = durationMilliseconds
    self.heartbeatMilliseconds = heartbeatMilliseconds
    self.memory = memory
    self.description = description
    self.assets = assets
  }
}

/// An asset that a lease's description names.
public struct LeasedAsset: Hashable, Codable, Sendable {
  /// The asset.
  public var reference: AssetReference
  /// The SHA-256 of its list of block digests (`GET /assets/{digest}/blocks`), which every block is checked against.
  public var blocks: Digest

  /// The asset's SHA-256.
  public var digest: Digest { reference.digest }

  /// Creates an asset with the digest of its list of block digests.
  public init(_ reference: AssetReference, blocks: Digest) {
    self.reference = reference
    self.blocks = blocks
  }
}

/// The body of `PUT /leases/{token}`.
public struct Heartbeat: Hashable, Codable, Sendable {
  /// The number of output frames rendered so far.
  public var framesRendered: Int
  /// The number of asset bytes that have arrived for the segment so far; `nil` from a worker that does not count them.
  public var assetBytes: Int64?
  /// Whether the render is waiting for asset bytes; `nil` from a worker that does not know.
  public var waitsForAssets: Bool?
  /// The lines that the worker has logged about the attempt since the last heartbeat; `nil` for none.
  public var log: String?

  /// Creates a heartbeat.
  public init(framesRendered: Int, assetBytes: Int64? = nil, waitsForAssets: Bool? = nil) {
    self.framesRendered = framesRendered
    self.assetBytes = assetBytes
    self.waitsForAssets = waitsForAssets
  }
}

/// The response to `PUT /leases/{token}`.
public struct HeartbeatAnswer: Hashable, Codable, Sendable {
  /// Whether to stop, because the chunk is no longer wanted.
  public var stop: Bool

  /// Creates an answer.
  public init(stop: Bool) { self.stop = stop }
}
