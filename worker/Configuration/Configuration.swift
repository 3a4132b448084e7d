import FarmAPI
import Foundation
import HTTP

/// A valid configuration of a worker.
package struct Configuration: Hashable, Sendable {
  /// The smallest block cache with which a slot can read assets.
  package static let smallestCache: Int64 = 16 << 20
  /// The default size of the block cache: 1 GiB.
  package static let defaultCache: Int64 = 1 << 30
  /// The smallest address space in which the libraries can load and render small pictures.
  package static let smallestSlotMemory: UInt = 1 << 30
  /// The default address space of a slot: 8 GiB.
  package static let defaultSlotMemory: UInt = 8 << 30

  /// The default for ``tokenPatience``: 15 minutes.
  package static let defaultTokenPatience = Duration.seconds(900)
  /// The maximum for ``tokenPatience``: a week.
  package static let longestTokenPatience = Duration.seconds(604_800)

  /// The addresses of the farm's coordinators.
  package let coordinators: ServerAddresses
  /// The number of segments that are rendered at a time.
  package let slots: Int
  /// The name that the farm shows.
  package let name: String
  /// The directory whose file system holds the block cache and the chunks until they are delivered.
  package let cacheDirectory: String
  /// The maximum size of cached assets, in bytes.
  package let cacheByteLimit: Int64
  /// The directories whose files are read in place, under the same paths as the coordinator's `--media-root`.
  package let mediaRoots: [String]
  /// The credentials for the coordinator.
  package let credentials: Credentials
  /// The file of the authorities that sign the certificate of the farm's object store, in PEM; `nil` for the system's.
  package let storeAuthorityFile: String?
  /// How long the coordinator may refuse the token before the worker exits.
  package let tokenPatience: Duration
  /// The memory that all segments may need together, in bytes; `nil` for ``HostMemory/usable``.
  package let memory: Int?
  /// The address space limit of each slot's process, in bytes, except for segments that are expected to need more.
  package let slotMemory: UInt
  /// Whether the worker exits when its standard input ends.
  package let exitsWithParent: Bool
  /// When the worker exits by itself.
  package let exitConditions: ExitConditions
  /// Whether to check the coordinator and exit, instead of rendering.
  package let checksOnly: Bool
  /// The pools that the worker belongs to.
  package let pools: [String]
  /// Of several waiting workers, those with a higher priority get leases first.
  package let priority: Int
  /// The hours in which it takes leases; `nil` for always.
  package let hours: WorkHours?
  /// The host's name, for the log and the farm.
  package let host: String
  package let logFormat: Log.Format

  /// Checks and creates a configuration.
  ///
  /// - Throws: ``ConfigurationError`` if a coordinator is not an HTTP URL, the coordinators have different schemes or
  ///   paths, the slots are not 1 to 256, the name is empty, the cache is smaller than ``smallestCache`` or the memory
  ///   than ``HostMemory/smallest`` or ``smallestSlotMemory``, the token patience is not 0 to ``longestTokenPatience``,
  ///   or the cache directory cannot be created or written.
  package init(
    coordinators: [String], slots: Int, name: String, cacheDirectory: String,
    cacheByteLimit: Int64 = Self.defaultCache, mediaRoots: [String] = [],
    credentials: Credentials = Credentials(), storeAuthorityFile: String? = nil,
    tokenPatience: Duration = Self.defaultTokenPatience, memory: Int? = nil,
    slotMemory: UInt = Self.defaultSlotMemory, exitsWithParent: Bool = false,
    exitConditions: ExitConditions = ExitConditions(), checksOnly: Bool = false, host: String = "",
    pools: [String] = [], priority: Int = 0, hours: WorkHours? = nil,
    logFormat: Log.Format = .logfmt
  ) throws(ConfigurationError) {
    for coordinator in coordinators {
      guard let url = URL(string: coordinator), url.host?.isEmpty == false,
        url.scheme == "http" || url.scheme == "https"
      else {
        throw ConfigurationError(
          problem: "the coordinator must be an http or https URL", subject: coordinator,
          remedy: "use a URL such as http://host:7420")
      }
    }
    guard let servers = ServerAddresses(coordinators) else {
      throw ConfigurationError(
        problem: "the addresses of the coordinators must have the same scheme and path",
        subject: coordinators.joined(separator: ", "),
        remedy: "correct --coordinator or SHEAF_COORDINATOR")
    }
    guard (1...256).contains(slots) else {
      throw ConfigurationError(
        problem: "the number of slots must be from 1 to 256", subject: "\(slots)",
        remedy: "use one per CPU")
    }
    guard !name.isEmpty else {
      throw ConfigurationError(
        problem: "the name must not be empty", subject: "--name", remedy: "leave it out")
    }
    guard cacheByteLimit >= Self.smallestCache else {
      throw ConfigurationError(
        problem: "the cache is too small", subject: "\(cacheByteLimit) bytes",
        remedy: "give it at least \(Self.smallestCache)")
    }
    if let memory, memory < HostMemory.smallest {
      throw ConfigurationError(
        problem: "the memory is too small", subject: "\(memory) bytes",
        remedy: "give it at least \(HostMemory.smallest)")
    }
    guard slotMemory >= Self.smallestSlotMemory else {
      throw ConfigurationError(
        problem: "a slot's memory is too small", subject: "\(slotMemory) bytes",
        remedy: "give it at least \(Self.smallestSlotMemory)")
    }
    guard (.zero...Self.longestTokenPatience).contains(tokenPatience) else {
      throw ConfigurationError(
        problem: "the token patience must be from 0 to 604800 seconds",
        subject: "\(tokenPatience.components.seconds)", remedy: "see `sheaf-worker --help`")
    }
    guard (credentials.certificateFile == nil) == (credentials.keyFile == nil) else {
      throw ConfigurationError(
        problem: "a client certificate and its key must be given together",
        subject: "--client-certificate, --client-key", remedy: "name both files")
    }
    for path in [
      credentials.authorityFile, credentials.certificateFile, credentials.keyFile,
      storeAuthorityFile,
    ].compactMap({ $0 }) where access(path, R_OK) != 0 {
      throw ConfigurationError(
        problem: "cannot read the file", subject: path,
        remedy: "name a readable file (\(String(cString: strerror(errno))))")
    }
    try? FileManager.default.createDirectory(
      atPath: cacheDirectory, withIntermediateDirectories: true)
    guard access(cacheDirectory, W_OK | X_OK) == 0 else {
      throw ConfigurationError(
        problem: "cannot write to the cache directory", subject: cacheDirectory,
        remedy: "choose another directory (\(String(cString: strerror(errno))))")
    }
    self.coordinators = servers
    self.slots = slots
    self.name = name
    self.cacheDirectory = cacheDirectory
    self.cacheByteLimit = cacheByteLimit
    self.mediaRoots = mediaRoots
    self.credentials = credentials
    self.storeAuthorityFile = storeAuthorityFile
    self.tokenPatience = tokenPatience
    self.memory = memory
    self.slotMemory = slotMemory
    self.exitsWithParent = exitsWithParent
    self.exitConditions = exitConditions
    self.checksOnly = checksOnly
    self.host = host
    self.pools = pools
    self.priority = priority
    self.hours = hours
    self.logFormat = logFormat
  }

  /// The log on standard error, whose lines name the worker and its host.
  package var log: Log {
    Log(.normal, as: logFormat).about(["worker": name, "host": host])
  }
}

/// An invalid setting of a worker.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  package var problem: String
  /// The setting that is wrong.
  package var subject: String
  package var remedy: String

  package init(problem: String, subject: String, remedy: String) {
    self.problem = problem
    self.subject = subject
    self.remedy = remedy
  }

  /// One line: what failed, on what, what to do.
  package var description: String { "\(problem): \(subject): \(remedy)" }
}
