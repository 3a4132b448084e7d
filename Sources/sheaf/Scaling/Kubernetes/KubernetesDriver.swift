import FarmAPI
import Foundation

/// Starts workers as jobs of Kubernetes, each with one pod.
package actor KubernetesDriver: ScaleDriver {
  private let api: KubernetesAPI
  private let template: WorkerTemplate
  /// The name of the cron job that is the template of workers.
  private let cronJob: String
  private let manifest: WorkerManifest
  private var hasChecked = false
  /// The names of jobs that requests without a response may have created. They are used again before new ones, so that no
  /// worker is started twice.
  private var uncertain: [String] = []

  package init(_ template: WorkerTemplate, from cronJob: String, access: KubernetesAccess) {
    self.template = template
    self.cronJob = cronJob
    manifest = WorkerManifest(from: cronJob, for: template)
    api = KubernetesAPI(access)
  }

  package func workers() async throws -> [String: StartedWorker] {
    // A wrong template or role shows at once, not with the first segment.
    if !hasChecked { try manifest.check(try await api.cronJob(cronJob)) }
    let selector = "\(WorkerManifest.label)=\(template.name)"
    let jobs = try await api.jobs(selector: selector)
    let names = Set(jobs.map(\.metadata.name))
    uncertain.removeAll { names.contains($0) }
    let living = jobs.filter { !$0.hasEnded }
    var pending: [String: ClusterPod] = [:]
    if !hasChecked || living.contains(where: { ($0.status?.ready ?? 0) == 0 }) {
      for pod in try await api.pendingPods(selector: selector) {
        if let job = pod.job { pending[job] = pod }
      }
    }
    hasChecked = true
    return Dictionary(
      living.map { ($0.metadata.name, worker(of: $0, pending[$0.metadata.name])) },
      uniquingKeysWith: { first, _ in first })
  }

  private func worker(of job: ClusterJob, _ pod: ClusterPod?) -> StartedWorker {
    if let pod { return StartedWorker(isRunning: false, reason: pod.waitingReason) }
    guard (job.status?.active ?? 0) == 0 else { return StartedWorker(isRunning: true) }
    return StartedWorker(isRunning: false, reason: job.isSuspended ? "Suspended" : "no pod yet")
  }

  package func start(_ count: Int, lifetime: Int) async throws -> [String] {
    let object = try await api.cronJob(cronJob)
    let stagger = Stagger(lifetime: lifetime)
    var names: [String] = []
    while names.count < count {
      if !names.isEmpty { try await Task.sleep(for: Stagger.pause(starting: count)) }
      let name = uncertain.last ?? newName()
      let job = try manifest.job(
        from: object, named: name, lifetime: stagger.lifetime(at: names.count))
      let creation = try await api.create(job, from: cronJob)
      if case .exists = creation {
        uncertain.removeAll { $0 == name }
        names.append(name)
        continue
      }
      if case .unknown = creation, !uncertain.contains(name) { uncertain.append(name) }
      guard names.isEmpty, let failure = creation.failure else { return names }
      throw failure
    }
    return names
  }

  /// A name that no job has had.
  private func newName() -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    let suffix = (0..<10).compactMap { _ in letters.randomElement() }
    return "\(template.name)-\(String(suffix))"
  }
}
