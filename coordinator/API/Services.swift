import HTTP
import Preparation
import Threads

/// The services that the routes use.
struct Services: Sendable {
  let farm: Farm
  let tools: any MediaTools
  let documents: DocumentStore
  let scrubber: Scrubber
  let assets: AssetStore
  let chunks: ChunkStore
  let outputs: OutputStore
  let outputChecks: OutputChecks
  let assetChecks: AssetChecks
  let directory: DataDirectory
  let space: DiskSpace
  let threads: BlockingThreads
  let mediaRoots: MediaRoots
  let sources: AssetSources
  let access: Access
  let limits: Limits
  let eventStreams: Occupancy
  let longPolls: Occupancy
  /// Submissions with a key that are being read or wait for it. They go on when their clients leave, so no limit on
  /// connections limits them.
  let submissionPlaces: Occupancy
  /// Uploads that go on are read from their beginning, four at a time, and three of one caller.
  let resumptions = FairGate(4)
  /// Where submissions are held in memory from the time at which they are read until the ledger has them.
  let reception = SubmissionRoom()
  /// Submissions with a key that are being read. One that is sent again meanwhile, because its client got no answer, is not
  /// read a second time.
  let submissions = SingleFlight<SubmissionInFlight, Acceptance>()
  /// Uploads that end are brought to disk four at a time, and three of one caller: if the asset is there already, all of it
  /// is read.
  let finishing = FairGate(4)

  /// Lists of jobs, segments and concealed parts are read one after the other for each caller, and two at a time, so that
  /// other calls are answered in between.
  let listing = FairGate(2)

  /// Every route.
  var operations: [Operation] {
    let routes =
      jobOperations + assetOperations + workerOperations + leaseOperations + eventOperations
      + operatorOperations + sessionOperations
    return routes + [descriptionOperation(routes)]
  }

  /// The router over every route.
  func router() -> Router {
    var router = Router()
    for operation in operations {
      operation.add(to: &router, guardedBy: access, within: limits)
    }
    return router
  }
}
