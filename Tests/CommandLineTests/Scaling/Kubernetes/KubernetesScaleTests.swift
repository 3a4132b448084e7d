import Foundation
import Support
import Synchronization
import Testing
import sheaf

/// `sheaf scale` with a coordinator and a simulated cluster of Kubernetes.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct KubernetesScaleTests {
  private let farm: ScaledFarm
  private let cluster: SimulatedCluster

  init() throws { (farm, cluster) = (try ScaledFarm(), try SimulatedCluster()) }

  private func start(_ run: ScaleRun, _ arguments: String...) throws -> Subprocess {
    try Data("first-token".utf8).write(to: URL(fileURLWithPath: run.folder.path("token")))
    return try run.start(
      farm,
      [
        "--driver", "kubernetes", "--template", "sheaf-worker", "--namespace", "studio",
        "--kubernetes-server", cluster.url, "--kubernetes-token-file", run.folder.path("token"),
      ] + arguments)
  }

  private func end(_ processes: Subprocess...) async {
    for process in processes {
      process.terminate()
      process.wait()
    }
    await farm.stop()
  }

  @Test func `workers come with the work and go with it`() async throws {
    let run = try ScaleRun()
    let process = try start(run, "--max", "3", "--lifetime", "600")
    try await eventually("it looks") { run.text("out").contains("0 wanted, 0 active") }
    #expect(cluster.jobs.isEmpty)
    farm.pending.withLock { $0 = 5 }
    try await eventually("three workers wait") {
      run.text("out").contains("5 wanted, 0 active, 3 not registered (Unschedulable)")
    }
    let names = cluster.jobs.map(\.name)
    #expect(names.count == 3 && names.allSatisfy { $0.hasPrefix("scaled-") })
    for name in names { cluster.change(name) { $0.waiting = nil } }
    farm.active.withLock { $0 = names }
    try await eventually("they are active") {
      run.text("out").contains("5 wanted, 3 active, 0 not registered")
    }
    // The work is done, and the workers end.
    farm.pending.withLock { $0 = 0 }
    for name in names { cluster.change(name) { $0.end = "Complete" } }
    farm.active.withLock { $0 = [] }
    try await eventually("none is left") {
      run.text("out").hasSuffix("0 wanted, 0 active, 0 not registered\n")
    }
    #expect(cluster.jobs.count == 3)
    #expect(run.text("errors") == "")
    await end(process)
  }

  @Test func `a job that someone deletes or that exceeds its time is replaced`() async throws {
    let run = try ScaleRun()
    farm.pending.withLock { $0 = 2 }
    let process = try start(run, "--max", "2")
    let first = try await eventually("two workers start") {
      cluster.jobs
    } satisfies: {
      $0.count == 2
    }
    farm.active.withLock { $0 = first.map(\.name) }
    try await eventually("they are active") { run.text("out").contains("2 active") }
    _ = cluster.state.withLock { $0.jobs.removeValue(forKey: first[0].name) }
    try await eventually("the deleted one is replaced") { cluster.jobs.count == 2 }
    cluster.change(first[1].name) { $0.end = "Failed" }
    try await eventually("the other one is replaced") { cluster.jobs.count == 3 }
    await end(process)
  }

  @Test func `two commands in one namespace see only their own workers`() async throws {
    let (night, day) = (try ScaleRun(), try ScaleRun())
    farm.pending.withLock { $0 = 9 }
    let first = try start(night, "--max", "2", "--name", "night")
    let second = try start(day, "--max", "3", "--name", "day")
    try await eventually("both have started their workers") {
      night.text("out").contains("2 not registered") && day.text("out").contains("3 not registered")
    }
    #expect(cluster.jobs.count { $0.name.hasPrefix("night-") } == 2)
    #expect(cluster.jobs.count { $0.name.hasPrefix("day-") } == 3)
    await end(first, second)
  }

  @Test func `a cluster that fails is tried again, without starting a worker twice`() async throws {
    let run = try ScaleRun()
    farm.pending.withLock { $0 = 1 }
    cluster.state.withLock {
      $0.permissions.remove("list jobs")
      $0.faults = [.lostBefore, .lostAfter]
    }
    let process = try start(run, "--max", "1")
    try await eventually("it may not list jobs") {
      run.text("errors").contains("cannot list resource \"jobs\"")
    }
    #expect(process.isRunning && cluster.jobs.isEmpty)
    cluster.state.withLock { _ = $0.permissions.insert("list jobs") }
    try await eventually("a worker waits") { run.text("out").contains("1 not registered") }
    #expect(cluster.jobs.count == 1)
    let names = cluster.state.withLock(\.createdNames)
    #expect(names.count == 2 && Set(names).count == 1)
    await end(process)
  }
}
