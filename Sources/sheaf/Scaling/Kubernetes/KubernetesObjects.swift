/// A page of a list of objects.
struct ObjectList<Item: Decodable>: Decodable {
  struct Metadata: Decodable {
    /// Asks for the next page; empty or `nil` on the last one.
    var `continue`: String?
  }

  var metadata: Metadata
  var items: [Item]?
}

/// The members of an object's metadata that this command reads.
struct ObjectMetadata: Decodable {
  var name: String
  var labels: [String: String]?
  var deletionTimestamp: String?
}

/// A condition of an object.
struct ObjectCondition: Decodable {
  var type: String
  var status: String
  var reason: String?
}

/// A job (`batch/v1`) as a list contains it.
struct ClusterJob: Decodable {
  struct Status: Decodable {
    /// The number of pods that are pending or running.
    var active: Int?
    /// The number of pods that are ready; `nil` from clusters before 1.24.
    var ready: Int?
    var conditions: [ObjectCondition]?
  }

  var metadata: ObjectMetadata
  var status: Status?

  /// Whether it is over, or being deleted.
  var hasEnded: Bool { metadata.deletionTimestamp != nil || holds("Complete") || holds("Failed") }

  /// Whether it waits for permission to start, for example because a queue holds it back.
  var isSuspended: Bool { holds("Suspended") }

  private func holds(_ condition: String) -> Bool {
    status?.conditions?.contains { $0.type == condition && $0.status == "True" } ?? false
  }
}

/// A pod as a list contains it.
struct ClusterPod: Decodable {
  struct Status: Decodable {
    struct Container: Decodable {
      struct State: Decodable {
        struct Waiting: Decodable { var reason: String? }
        var waiting: Waiting?
      }
      var state: State?
    }

    var conditions: [ObjectCondition]?
    var initContainerStatuses: [Container]?
    var containerStatuses: [Container]?
  }

  var metadata: ObjectMetadata
  var status: Status?

  /// The name of the job that it belongs to. Clusters before 1.27 set only the second label.
  var job: String? {
    metadata.labels?["batch.kubernetes.io/job-name"] ?? metadata.labels?["job-name"]
  }

  /// Why it waits, in Kubernetes' words: the scheduler's reason, or else that of a container that cannot start.
  var waitingReason: String? {
    let scheduled = status?.conditions?.first { $0.type == "PodScheduled" && $0.status == "False" }
    if let reason = scheduled?.reason { return reason }
    let containers = (status?.initContainerStatuses ?? []) + (status?.containerStatuses ?? [])
    let reasons = containers.compactMap { $0.state?.waiting?.reason }
    // These are the reasons of containers that wait for another one, or are on their way.
    return reasons.first { !["PodInitializing", "ContainerCreating"].contains($0) } ?? reasons.first
  }
}

/// The body of a response that is not an object (`v1` `Status`).
struct ObjectFailure: Decodable {
  /// The reason in one word, such as `AlreadyExists`.
  var reason: String?
  var message: String?
}
