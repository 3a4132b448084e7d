import FarmAPI

/// Makes the manifests of jobs that run one worker each from a suspended cron job, as
/// `kubectl create job --from=cronjob/NAME` does.
package struct WorkerManifest: Sendable {
  private let cronJob: String
  private let template: WorkerTemplate

  /// The label by which this command recognizes its jobs and pods. Its value is the beginning of the workers' names.
  package static let label = "sheaf/scaled-by"
  /// The part of a pod's time limit that a worker has to finish the segments that it holds, in seconds.
  package static let grace = 600
  /// How long a job is kept after its end if the cron job does not say, in seconds.
  private static let keptSeconds = 600

  /// Creates a maker of manifests.
  ///
  /// - Parameter cronJob: the name of the cron job, for messages.
  package init(from cronJob: String, for template: WorkerTemplate) {
    (self.cronJob, self.template) = (cronJob, template)
  }

  /// Checks that workers can be started from a cron job.
  ///
  /// - Throws: ``CommandFailure``.
  package func check(_ object: JSON) throws(CommandFailure) {
    _ = try job(from: object, named: template.name, lifetime: 0)
  }

  /// The manifest of a job.
  ///
  /// - Parameters:
  ///   - object: the cron job as the API server returned it.
  ///   - name: the name of the job and of its worker.
  ///   - lifetime: the time after which the worker takes no more segments, in seconds.
  /// - Throws: ``CommandFailure`` if workers cannot be started from the cron job.
  package func job(
    from object: JSON, named name: String, lifetime: Int
  ) throws(CommandFailure) -> JSON {
    guard object["spec"]["suspend"] == true else {
      throw problem("the cron job starts jobs itself", "set spec.suspend to true")
    }
    var spec = object["spec"]["jobTemplate"]["spec"]
    guard case .array(var containers) = spec["template"]["spec"]["containers"],
      let container = containers.first
    else { throw problem("the cron job has no container", "add the container of a worker") }
    containers[0] = try worker(container, named: name, lifetime: lifetime)
    let labels: JSON = [Self.label: .string(template.name)]
    var metadata: JSON = [
      "name": .string(name),
      "labels": object["spec"]["jobTemplate"]["metadata"]["labels"].addingMembers(of: labels),
    ]
    let annotations = object["spec"]["jobTemplate"]["metadata"]["annotations"]
    if annotations != .null { metadata["annotations"] = annotations }
    // One pod for one worker: its place is taken by another job if it is lost.
    spec["parallelism"] = .integer(1)
    spec["completions"] = .integer(1)
    spec["backoffLimit"] = .integer(0)
    if spec["ttlSecondsAfterFinished"] == .null {
      spec["ttlSecondsAfterFinished"] = .integer(Self.keptSeconds)
    }
    var pod = spec["template"]
    pod["metadata"]["labels"] = pod["metadata"]["labels"].addingMembers(of: labels)
    pod["spec"]["restartPolicy"] = "Never"
    // The limit of a pod begins when it is on a node, unlike that of a job, which includes the time in the queue.
    pod["spec"]["activeDeadlineSeconds"] = .integer(lifetime + Self.grace)
    pod["spec"]["containers"] = .array(containers)
    spec["template"] = pod
    return ["apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec]
  }

  /// The container with the options of a worker. It finds the coordinators' addresses in its environment, unless it has
  /// others.
  private func worker(
    _ container: JSON, named name: String, lifetime: Int
  ) throws(CommandFailure) -> JSON {
    var container = container
    var words = container["args"].arrayElements
    let options = template.options(lifetime: "\(lifetime)")
    let own = ["--name"] + options.filter { $0.hasPrefix("--") && $0 != "--pool" }
    for case .string(let word) in container["command"].arrayElements + words {
      guard let option = own.first(where: { word == $0 || word.hasPrefix("\($0)=") }) else {
        continue
      }
      throw problem("this command sets \(option) itself", "leave it out of the container's args")
    }
    words += (["--name", name] + options).map { .string($0) }
    container["args"] = .array(words)
    let variables = container["env"].arrayElements
    let variable = "SHEAF_COORDINATOR"
    if !variables.contains(where: { $0["name"] == .string(variable) }) {
      let addresses = template.coordinators.joined(separator: " ")
      container["env"] = .array(
        variables + [["name": .string(variable), "value": .string(addresses)]])
    }
    return container
  }

  private func problem(_ text: String, _ remedy: String) -> CommandFailure {
    CommandFailure(.failed, text, on: cronJob, remedy: remedy)
  }
}
