import Foundation
import Processes
import Support
import Synchronization
import Testing

/// `sheaf scale` with a coordinator and a cluster of scripts.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ScaleCommandTests {
  private let run: ScaleRun
  private var folder: TemporaryDirectory { run.folder }

  init() throws { run = try ScaleRun() }

  private func scale(_ farm: ScaledFarm, _ arguments: String...) throws -> Subprocess {
    try run.start(farm, arguments)
  }

  private func text(_ file: String) -> String { run.text(file) }

  private func script(_ name: String, _ lines: String) throws {
    let text = folder.path("\(name).text")
    try Data("#!/bin/sh\n\(lines)\n".utf8).write(to: URL(fileURLWithPath: text))
    // Another process writes the executable; see TemporaryDirectory.script.
    try Tool.run("install", ["-m", "755", text, folder.path(name)])
  }

  @Test func `workers are started as processes, replaced when they end, and outlive the command`()
    async throws
  {
    let farm = try ScaledFarm()
    farm.pending.withLock { $0 = 5 }
    // Prints its arguments and the variables that it was given, and waits until its file is removed.
    try script(
      "worker",
      #"echo "$SHEAF_COORDINATOR" "[$SHEAF_TOKEN]" "$@" >>"\#(folder.path)/started"; "#
        + #"echo $$ >"\#(folder.path)/$2.runs"; "#
        + #"for look in $(seq 6000); do [ -e "\#(folder.path)/$2.runs" ] || exit 0; sleep 0.1; done"#
    )
    let process = try scale(
      farm, "--driver", "command", "--worker", "true && \(folder.path("worker"))", "--max", "2",
      "--slots", "2", "--idle", "7", "--lifetime", "900")
    func running() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
        $0.hasSuffix(".runs")
      }
    }
    try await eventually("two workers run") { try running().count == 2 }
    let first = try #require(try running().first)
    let line = try #require(text("started").split(separator: "\n").first)
    #expect(line.hasPrefix("\(farm.url) [] --name scaled-"))
    #expect(line.hasSuffix(" --slots 2 --exit-when-idle 7 --max-lifetime 900"))
    farm.active.withLock { $0 = [String(first.dropLast(5))] }
    try await eventually("it is registered") { text("out").contains("3 wanted, 1 active") }
    // It ends, and another one takes its place.
    try FileManager.default.removeItem(atPath: folder.path(first))
    farm.active.withLock { $0 = [] }
    try await eventually("another one is started") {
      text("started").split(separator: "\n").count == 3
    }
    process.terminate()
    #expect(process.wait() == .exited(130))
    #expect(text("errors").contains("the started workers continue"))
    for file in try running() {
      let id = try #require(pid_t(text(file).trimmingCharacters(in: .newlines)))
      #expect(ChildProcesses.isAlive(id))
      try FileManager.default.removeItem(atPath: folder.path(file))
    }
    await farm.stop()
  }

  @Test
  func `a worker that fails at once is named, and tried again with more and more time between`()
    async throws
  {
    let farm = try ScaledFarm()
    farm.pending.withLock { $0 = 50 }
    try script("worker", #"echo x >>"\#(folder.path)/started"; exit 2"#)
    let process = try scale(
      farm, "--driver", "command", "--worker", folder.path("worker"), "--max", "3")
    try await eventually("it is tried again") {
      text("started").split(separator: "\n").count >= 5
    }
    // Three at first, and then one at a time.
    #expect(text("out").contains("starting 3"))
    #expect(text("out").contains("starting 1"))
    #expect(text("errors").contains("ended before it registered: see its messages"))
    process.terminate()
    process.wait()
    await farm.stop()
  }

  @Test func `workers are started as jobs of Slurm, and waiting ones count`() async throws {
    let farm = try ScaledFarm()
    // The first jobs wait in the queue forever.
    try script(
      "sbatch",
      #"(for word in "$@"; do echo "[$word]"; done; echo "<$SBATCH_CLUSTERS>"; echo end) >"\#(folder.path)/new"; "#
        + #"[ -s "\#(folder.path)/queue" ] || printf '77_%s|PENDING|Resources\n' 1 2 3 >"\#(folder.path)/queue"; "#
        + #"cat "\#(folder.path)/new" >>"\#(folder.path)/sbatch.log"; echo "77;cluster""#)
    try script(
      "squeue",
      #"echo "$@" >"\#(folder.path)/words"; mv "\#(folder.path)/words" "\#(folder.path)/squeue.log"; "#
        + #"cat "\#(folder.path)/queue""#)
    func setQueue(_ lines: String...) throws {
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(
        to: URL(fileURLWithPath: folder.path("queue")), options: .atomic)
    }
    try Data().write(to: URL(fileURLWithPath: folder.path("queue")))
    let process = try scale(
      farm, "--driver", "slurm", "--worker", "sheaf-worker --verbose", "--max", "9", "--name",
      "night", "--lifetime", "3600", "--sbatch", "--partition=render")
    try await eventually("it looks") { text("out").contains("0 wanted, 0 active") }
    #expect(text("sbatch.log").isEmpty)
    farm.pending.withLock { $0 = 3 }
    try await eventually("three jobs are submitted") { text("sbatch.log").contains("end\n") }
    try await eventually("they wait") {
      text("out").contains("3 wanted, 0 active, 3 not registered (Resources)")
    }
    let words = text("sbatch.log").split(separator: "\n").map(String.init)
    let expected = [
      "[--array]", "[1-3]", "[--time]", "[70]", "[--no-requeue]", "[--partition=render]", "<>",
    ]
    #expect(expected.allSatisfy { words.contains($0) }, "\(words)")
    let place = try #require(words.firstIndex(of: "[--job-name]"))
    let name = String(words[place + 1].dropFirst().dropLast())
    #expect(name.wholeMatch(of: /night-[0-9a-f]{6}/) != nil)
    #expect(
      words.contains(
        "[trap exit TERM; sleep $(( (SLURM_ARRAY_TASK_ID - 1) % 60 )); sheaf-worker --verbose "
          + "--name \"\(name)-${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\" --slots 1 "
          + "--exit-when-idle 120 --max-lifetime $((3600 - (SLURM_ARRAY_TASK_ID - 1) % 60 * 6))]"))
    #expect(text("squeue.log").contains("--me --name \(name)"))
    // Two run, and a node is lost.
    try setQueue("77_1|RUNNING|None", "77_2|RUNNING|None", "77_3|PENDING|Priority")
    farm.active.withLock { $0 = ["\(name)-77_1", "\(name)-77_2"] }
    try await eventually("two run") {
      text("out").contains("3 wanted, 2 active, 1 not registered (Priority)")
    }
    let before = text("sbatch.log").count
    try setQueue("77_1|RUNNING|None", "77_3|PENDING|Priority")
    try await eventually("a worker is replaced") {
      text("sbatch.log").dropFirst(before).contains("[1-1]")
    }
    process.terminate()
    process.wait()
    await farm.stop()
  }

  @Test func `a coordinator or a cluster that fails is tried again`() async throws {
    let farm = try ScaledFarm()
    farm.isDown.withLock { $0 = true }
    farm.pending.withLock { $0 = 9 }
    try script("squeue", "true")
    try script(
      "sbatch",
      #"echo "$@" >>"\#(folder.path)/tries"; [ -e "\#(folder.path)/works" ] || exit 1; "#
        + #"echo 1; touch "\#(folder.path)/done""#)
    let process = try scale(
      farm, "--driver", "slurm", "--worker", "sheaf-worker", "--max", "4")
    try await eventually("the coordinator refuses") { text("errors").contains("trying again") }
    #expect(text("tries").isEmpty)
    farm.isDown.withLock { $0 = false }
    try await eventually("sbatch fails") { text("errors").contains("sbatch failed") }
    #expect(process.isRunning)
    #expect(text("tries").contains("--array 1-4"))
    try Data().write(to: URL(fileURLWithPath: folder.path("works")))
    try await eventually("a worker is started") {
      FileManager.default.fileExists(atPath: folder.path("done"))
    }
    // The cluster may not allow as many jobs.
    #expect(text("tries").contains("--array 1-1 "))
    process.terminate()
    process.wait()
    await farm.stop()
  }

  @Test func `hours that a living worker may use stay reserved when the command is restarted`()
    async throws
  {
    let farm = try ScaledFarm()
    farm.pending.withLock { $0 = 1 }
    try script("squeue", #"cat "\#(folder.path)/queue" 2>/dev/null; true"#)
    try script(
      "sbatch",
      #"echo "$@" >>"\#(folder.path)/tries"; echo "77_1|RUNNING|None" >"\#(folder.path)/queue"; "#
        + "echo 77")
    func start() throws -> Subprocess {
      try scale(
        farm, "--driver", "slurm", "--worker", "sheaf-worker", "--max", "4", "--hours-per-day", "2",
        "--state", folder.path("state"))
    }
    let first = try start()
    try await eventually("a worker is started") { text("tries").contains("--time 130 ") }
    farm.pending.withLock { $0 = 4 }
    let problem = "none started: all hours of the day are used up or reserved"
    try await eventually("no other worker is started") { text("out").contains(problem) }
    first.terminate()
    first.wait()
    let second = try start()
    try await eventually("none is started after the restart") { text("out").contains(problem) }
    second.terminate()
    second.wait()
    #expect(text("tries").split(separator: "\n").count == 1)
    await farm.stop()
  }

  @Test func `each look is printed as JSON`() async throws {
    let farm = try ScaledFarm()
    let process = try scale(
      farm, "--driver", "command", "--worker", "sheaf-worker", "--max", "1", "--json")
    try await eventually("it has looked twice") {
      text("out").split(separator: "\n").count { $0.contains(#""wanted""#) } >= 2
    }
    process.terminate()
    process.wait()
    #expect(text("out").contains(#""isExhausted""#))
    await farm.stop()
  }

  @Test(
    arguments: [
      (["--driver", "command", "--sbatch", "--exclusive"], "the option needs --driver slurm"),
      (["--driver", "command", "--state", "hours"], "the option needs --hours-per-day"),
      (["--driver", "command", "--name", "a b"], "--name"),
      (["--driver", "slurm", "--sbatch", "--job-name=x"], "this command sets --job-name=x itself"),
      (["--driver", "slurm", "--sbatch", "-Mgpu"], "this command sets -Mgpu itself"),
      (["--driver", "slurm", "--template", "worker"], "the option needs --driver kubernetes"),
      (["--driver", "kubernetes"], "the option needs --driver command or slurm: --worker"),
      (["--driver", "command", "--pool", "a b"], "--pool"),
    ])
  func `options that do not go together are rejected`(options: [String], problem: String) throws {
    let outcome = try Program.sheaf.run(
      ["scale", "--worker", "sheaf-worker", "--max", "2"] + options)
    #expect(outcome.status == 2)
    #expect(outcome.standardError.contains(problem), "\(outcome.standardError)")
  }

  @Test(
    arguments: [
      ([], "missing option: --template"), (["--template", "cronjob/worker"], "--template must be"),
      (["--template", "worker", "--name", "Night"], "--name must begin with a lowercase letter"),
      (["--template", "worker", "--name", "-night"], "--name must begin with a lowercase letter"),
      (["--template", "worker", "--namespace", "a/b"], "--namespace must be"),
      (["--template", "worker", "--kubernetes-server", "k8s"], "--kubernetes-server must be"),
      (
        ["--template", "worker", "--kubernetes-server", "https://k8s.example"],
        "the namespace is unknown"
      ),
    ])
  func `options that Kubernetes does not accept are rejected`(
    options: [String], problem: String
  ) throws {
    let outcome = try Program.sheaf.run(
      ["scale", "--driver", "kubernetes", "--max", "2"] + options)
    #expect(outcome.status == 2)
    #expect(outcome.standardError.contains(problem), "\(outcome.standardError)")
  }

  @Test func `workers of a pool are started for the segments that ask for it`() async throws {
    let farm = try ScaledFarm()
    farm.pending.withLock { $0 = 9 }
    farm.pools.withLock { $0 = ["gpu": 2] }
    try script("worker", #"echo "$@" >>"\#(folder.path)/started"; cat >/dev/null"#)
    let process = try scale(
      farm, "--driver", "command", "--worker", folder.path("worker"), "--max", "5", "--pool", "gpu")
    try await eventually("two workers are wanted") { text("out").contains("2 wanted") }
    // They begin and end at different times.
    for lifetime in [82_800, 82_662] {
      try await eventually("a worker is started") {
        text("started").contains(" --max-lifetime \(lifetime) --pool gpu\n")
      }
    }
    process.terminate()
    process.wait()
    // Another command starts workers for the other segments, under other names.
    let others = try ScaleRun()
    let second = try others.start(
      farm, ["--driver", "command", "--worker", folder.path("worker"), "--max", "9"])
    try await eventually("seven workers are wanted") { others.text("out").contains("7 wanted") }
    try await eventually("the last one is started") {
      text("started").split(separator: "\n").contains { !$0.contains("--pool") }
    }
    let names = text("started").split(separator: "\n").map {
      ($0.split(separator: " ")[1].split(separator: "-")[1], $0.contains("--pool"))
    }
    #expect(Set(names.map(\.0)).count == 2 && Set(names.filter(\.1).map(\.0)).count == 1)
    second.terminate()
    second.wait()
    await farm.stop()
  }
}
