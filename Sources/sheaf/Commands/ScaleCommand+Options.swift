import Arguments
import FarmAPI

extension ScaleCommand {
  /// Where workers are started.
  enum Driver: String, CaseIterable {
    case command, slurm, kubernetes
  }

  static let driver = Option<Driver>(
    "driver", choice: "DRIVER",
    help: "How to start workers: command (as processes on this host), slurm (with sbatch) or "
      + "kubernetes (as jobs)")
  static let worker = Option<String>(
    "worker", value: "COMMAND",
    help: "The shell command that runs a worker (command, slurm); --name, --slots, "
      + "--exit-when-idle, --max-lifetime and --pool are added to it, and SHEAF_COORDINATOR is set")
  static let maximum = Option<Int>(
    "max", value: "N", in: 1...10_000, help: "The maximum number of started workers at a time")
  static let slots = Option<Int>(
    "slots", value: "N", in: 1...1024,
    help: "The number of segments that a started worker renders at a time (default: 1)")
  static let pool = Option<PoolName>(
    "pool", value: "NAME", expecting: PoolName.contents,
    help: "Start workers of this pool for the jobs that ask for it (default: workers without a "
      + "pool, for the jobs that ask for none)"
  ) { PoolName($0) }
  static let name = Option<String>(
    "name", value: "NAME", expecting: "up to 32 letters, digits and dashes",
    help: "The beginning of the workers' names; two runs for one farm and pool need different "
      + "names (default: scaled)"
  ) { text in
    let isName = text.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "-")
    }
    return isName && (1...32).contains(text.utf8.count) ? text : nil
  }
  static let interval = Option<Int>(
    "interval", value: "N", in: 1...3600, of: "seconds",
    help: "Seconds between two looks at the farm (default: 15)")
  static let coolDown = Option<Int>(
    "cool-down", value: "N", in: 0...3600, of: "seconds",
    help: "Seconds between two starts; doubled up to ten minutes while starts or workers fail "
      + "(default: 30)")
  static let idle = Option<Int>(
    "idle", value: "N", in: 1...604_800, of: "seconds",
    help: "Seconds without work after which a worker ends (default: 120)")
  static let lifetime = Option<Int>(
    "lifetime", value: "N", in: 60...31_536_000, of: "seconds",
    help: "Seconds after which a worker takes no more segments (default: 82800, 23 hours); the "
      + "time limit of a job of Slurm or a pod of Kubernetes is ten minutes longer")
  static let hours = Option<Double>(
    "hours-per-day", value: "H", in: 1...10_000_000,
    help: "Let the workers of any 24 hours run this many hours together: none is started when they "
      + "are used up, and lifetimes are shortened before")
  static let state = Option<String>(
    "state", value: "FILE",
    help: "The file that keeps the hours for --hours-per-day and the lifetimes of workers when "
      + "this command ends")
  static let sbatch = Option<String>(
    "sbatch", value: "OPTION", isRepeatable: true,
    help: "A further option of sbatch, such as --partition=render; may be repeated (slurm)")
  static let cronJob = Option<String>(
    "template", value: "NAME", expecting: "the name of a cron job",
    help: "The suspended cron job from which workers are made (kubernetes); --name, --slots, "
      + "--exit-when-idle, --max-lifetime and --pool are added to its first container's args"
  ) { isObjectName($0) ? $0 : nil }
  static let namespace = Option<String>(
    "namespace", value: "NAME", expecting: "the name of a namespace",
    help: "The namespace of the workers (kubernetes; default: this pod's)"
  ) { isObjectName($0) && !$0.contains(".") ? $0 : nil }
  static let server = Option<CoordinatorAddress>(
    "kubernetes-server", value: "URL",
    help: "The API server (default: that of the cluster in which this command runs)")
  static let serverToken = Option<String>(
    "kubernetes-token-file", value: "FILE",
    help: "The file that contains the token for the API server, which is read again for each "
      + "request (default: that of this pod's service account, or none with --kubernetes-server)")
  static let serverAuthority = Option<String>(
    "kubernetes-ca-file", value: "FILE",
    help: "The CA certificate to verify the API server with (default: this pod's, or the system's "
      + "with --kubernetes-server)")

  /// The options that only some drivers have.
  static let driverOptions: [(declaration: OptionDeclaration, drivers: [Driver])] = [
    (worker.declaration, [.command, .slurm]), (sbatch.declaration, [.slurm]),
    (cronJob.declaration, [.kubernetes]), (namespace.declaration, [.kubernetes]),
    (server.declaration, [.kubernetes]), (serverToken.declaration, [.kubernetes]),
    (serverAuthority.declaration, [.kubernetes]),
  ]

  /// Whether Kubernetes accepts a name: lowercase letters, digits, dashes and dots, with a letter or digit at both ends
  /// (RFC 1123).
  static func isObjectName(_ text: String) -> Bool {
    func isAlphanumeric(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    guard (1...253).contains(text.utf8.count), let first = text.utf8.first,
      let last = text.utf8.last
    else { return false }
    return isAlphanumeric(first) && isAlphanumeric(last)
      && text.utf8.allSatisfy {
        isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
      }
  }

  /// The driver that the arguments name, and whether it knows the workers of earlier runs of this command, too.
  static func makeDriver(
    _ arguments: ParsedArguments, for template: WorkerTemplate
  ) throws -> (driver: any ScaleDriver, knowsAll: Bool) {
    let choice = try arguments.required(driver)
    for (option, drivers) in driverOptions
    where arguments.has(option) && !drivers.contains(choice) {
      let names = drivers.map(\.rawValue).joined(separator: " or ")
      throw UsageError(
        "the option needs --driver \(names)", on: "--\(option.name)", command: syntax.invocation)
    }
    var template = template
    switch choice {
    case .command:
      template.command = try arguments.required(worker)
      return (CommandDriver(template), false)
    case .slurm:
      template.command = try arguments.required(worker)
      let options = try arguments.values(sbatch)
      try check(options)
      return (SlurmDriver(template, options: options), true)
    case .kubernetes:
      let name = try arguments.required(cronJob)
      guard isObjectName(template.name) else {
        throw UsageError(
          "--name must begin with a lowercase letter or a digit, and have no uppercase letters",
          on: template.name, command: syntax.invocation)
      }
      let access = try KubernetesAccess(
        server: arguments.value(server)?.url, namespace: arguments.value(namespace),
        tokenFile: arguments.value(serverToken), authorityFile: arguments.value(serverAuthority))
      return (KubernetesDriver(template, from: name, access: access), true)
    }
  }

  /// Rejects options of sbatch that would hide the jobs from this command.
  private static func check(_ options: [String]) throws(UsageError) {
    let own = SlurmDriver.ownOptions
    let wrong = options.first { option in
      own.contains {
        $0.hasPrefix("--") ? option.split(separator: "=").first == $0[...] : option.hasPrefix($0)
      }
    }
    guard let wrong else { return }
    throw UsageError(
      "this command sets \(wrong) itself: leave it out", on: "--sbatch",
      command: syntax.invocation)
  }
}
