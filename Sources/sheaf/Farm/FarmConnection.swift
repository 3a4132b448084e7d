import Arguments
import Crypto
import FarmAPI
import Foundation
import HTTP

/// The user's side of the farm protocol, with one method per call. Every failure is a ``CommandFailure``.
///
/// A call that the coordinator or a proxy in front of it cannot answer is repeated until the patience runs out. Every
/// call may be repeated: submissions carry a key, and uploads state the offset at which they continue.
package struct FarmConnection: Sendable {
  let client: Client
  private let patience: Duration
  let contact: FarmContact
  /// The options that name the coordinator, for a command that continues this one.
  private let words: [String]
  /// Whether the command takes `--patience`.
  private let takesPatience: Bool
  /// Whether a token is sent.
  package let hasToken: Bool

  /// A connection to the coordinators of a farm, which all answer every call.
  ///
  /// - Parameters:
  ///   - servers: the coordinators' addresses.
  ///   - waitsFromTheStart: whether to wait for a coordinator that has not answered yet.
  ///   - takesPatience: whether messages may suggest `--patience`.
  ///   - words: the options that name the coordinator, for a command that continues this one.
  ///   - report: shows a line about waiting.
  package init(
    to servers: ServerAddresses, with credentials: Credentials = Credentials(),
    patience: Duration = FarmSettings.standardPatience, waitsFromTheStart: Bool = false,
    takesPatience: Bool = false, words: [String] = [],
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.patience = patience
    self.takesPatience = takesPatience
    hasToken = credentials.token != nil
    self.words = words
    contact = FarmContact(
      waitsFromTheStart: waitsFromTheStart,
      resumption: CommandLineText.line(["sheaf"] + CommandLine.arguments.dropFirst()),
      report: report)
    client = Client(
      to: servers, userAgent: "sheaf", credentials: credentials, connectTimeout: .seconds(5))
  }

  /// Creates a connection from the arguments, the environment and the configuration file.
  package init(_ arguments: ParsedArguments) throws {
    let settings = try FarmSettings(arguments)
    // A patience from the file does not apply to the first connection, because the address may be wrong.
    let isPatienceGiven = if case .flag = settings.patience.origin { true } else { false }
    self.init(
      to: settings.servers, with: try settings.credentials(),
      patience: settings.patience.value, waitsFromTheStart: isPatienceGiven,
      takesPatience: true,
      words: Self.options.flatMap { declaration in
        arguments.texts(of: declaration).flatMap { ["--\(declaration.name)", $0] }
      }
    ) { line in
      Console.standard.report("sheaf: \(line)")
    }
  }

  /// The coordinators' addresses.
  package var servers: ServerAddresses { client.servers }

  /// The options for the coordinators' addresses, the credentials and the patience.
  package static let options = FarmSettings.options

  /// A shell command line for the same coordinator.
  package func command(_ words: String...) -> String {
    CommandLineText.line(["sheaf"] + words + self.words)
  }

  /// A shell command line for the same coordinator that needs an admin's token. If this connection has a token,
  /// the line has `ADMIN-TOKEN-FILE` where the file with the admin's token goes.
  package func adminCommand(_ words: String...) -> String {
    var options = self.words
    if hasToken {
      let option = FarmSettings.tokenFileOption
      if let place = options.firstIndex(of: option) {
        options[place + 1] = "ADMIN-TOKEN-FILE"
      } else {
        options += [option, "ADMIN-TOKEN-FILE"]
      }
    }
    return CommandLineText.line(["sheaf"] + words + options)
  }

  /// Sets the command that continues after this one has given up.
  package func resume(with command: String) { contact.resumption = command }

  /// Every job that the coordinator knows, the newest first.
  package func jobs() async throws -> [JobStatus] {
    try await list("/jobs") { jobs in jobs.last.map { "&before=\(escape($0.id))" } }
  }

  /// A job.
  ///
  /// - Parameter id: the whole id; see ``job(matching:)``.
  package func job(_ id: String) async throws -> JobStatus { try await get("/jobs/\(escape(id))") }

  /// A job's segments in order.
  package func segments(of id: String) async throws -> [SegmentStatus] {
    try await list("/jobs/\(escape(id))/segments") { segments in
      segments.last.map { "&after=\($0.index)" }
    }
  }

  /// Returns a job with all its concealed parts. A status lists only the first ones.
  package func listingConcealed(_ job: JobStatus) async throws -> JobStatus {
    guard let count = job.concealedCount, count > job.concealed?.count ?? 0 else { return job }
    var complete = job
    complete.concealed = try await list("/jobs/\(escape(job.id))/concealments") { parts in
      "&after=\(parts.count)"
    }
    return complete
  }

  /// The workers that the coordinator knows.
  package func workers() async throws -> [WorkerStatus] { try await get("/workers") }

  package enum SubmissionOutcome: Sendable {
    /// The job.
    case accepted(JobStatus)
    /// The coordinator lacks an asset; the refusal names it.
    case lacksAssets(CommandFailure)
  }

  /// Submits a project whose assets the coordinator has.
  ///
  /// - Parameter key: the key that makes repeating the submission safe.
  package func submit(
    _ submission: JobSubmission, under key: IdempotencyKey
  ) async throws -> SubmissionOutcome {
    let body = try FarmCoding.encode(submission)
    let request = ClientRequest(
      .post, url("/jobs"),
      headers: [
        "Content-Type": "application/json", IdempotencyKey.headerName: key.value,
        ContentDigest.headerName: ContentDigest.value(for: body),
      ], body: body, timeout: .seconds(120))
    return try await persist {
      try await client.send(request)
    } reading: { response, _ in
      if response.problem?.type == ProblemType.missingAsset.rawValue {
        return .lacksAssets(refusal(response, of: submission.name))
      }
      return .accepted(try read(response, of: submission.name))
    }
  }

  /// A job's states as they change. The stream ends after the final state, or when the connection is lost.
  package func events(of id: String) -> AsyncThrowingStream<ServerSentEvent, any Error> {
    client.events(ClientRequest(.get, url("/jobs/\(escape(id))/events"), timeout: nil))
  }

  /// The failure for an error of the HTTP client.
  package func failure(_ error: ClientError) -> CommandFailure {
    switch error.code {
    case .localFile: CommandFailure(.failed, lines: [error.message])
    case .secureConnectionFailed:
      CommandFailure(
        .coordinatorUnreachable, "cannot verify the coordinator's certificate", on: error.message,
        remedy: error.certificateProblem == .otherName
          ? "use a host name that the certificate contains"
          : "pass the CA certificate with --ca-file FILE")
    default: unreachable(isUnknownHost: error.code == .couldNotResolve)
    }
  }

  /// The URL of a path under the API's root, which follows a coordinator's address.
  func url(_ path: String) -> String { "/api/v1\(path)" }

  func escape(_ id: String) -> String {
    var allowed = CharacterSet.alphanumerics
    allowed.insert(charactersIn: "-_.~")
    return id.addingPercentEncoding(withAllowedCharacters: allowed) ?? id
  }

  /// The maximum number of list elements in one response.
  private static let partSize = 1000

  /// Reads a list in parts, and returns all its elements.
  ///
  /// - Parameter next: the query parameter that asks for what follows the elements so far.
  private func list<Element: Decodable>(
    _ path: String, after next: ([Element]) -> String?
  ) async throws -> [Element] {
    var elements: [Element] = []
    var place: String?
    while true {
      let part: [Element] = try await get("\(path)?limit=\(Self.partSize)\(place ?? "")")
      elements += part
      if part.count < Self.partSize { return elements }
      let following = next(elements)
      // An earlier version ignores the limit and always sends the whole list.
      guard part.count == Self.partSize, following != place else {
        throw CommandFailure(
          .failed, "cannot read the coordinator's response", on: path,
          remedy: "install the same version of sheaf and sheaf-coordinator")
      }
      place = following
    }
  }

  func get<Value: Decodable>(_ path: String) async throws -> Value {
    try await persist {
      try await client.send(ClientRequest(.get, url(path)))
    } reading: { response, _ in
      try read(response, of: path)
    }
  }

  /// The resource at a path; `nil` if the coordinator says that there is none.
  func find<Value: Decodable>(_ path: String) async throws -> Value? {
    try await persist {
      try await client.send(ClientRequest(.get, url(path)))
    } reading: { response, _ in
      if response.problem?.type == ProblemType.notFound.rawValue { return nil }
      return try read(response, of: path)
    }
  }

  /// Repeats a call until it is answered or the patience runs out.
  ///
  /// - Parameter reading: interprets the answer, given whether the call was repeated. It may throw
  ///   ``TransientFailure``.
  func persist<Value>(
    _ transfer: () async throws -> ClientResponse,
    reading: (ClientResponse, _ isRepeated: Bool) throws -> Value
  ) async throws -> Value {
    var perseverance = perseverance
    while true {
      do {
        let response = try await transfer()
        if response.status == .badRequest, response.problem == nil,
          let mismatch = await schemeMismatch(at: response.url)
        {
          throw mismatch
        }
        if let transient = TransientFailure(response) { throw transient }
        let value = try reading(response, perseverance.isWaiting)
        contact.answered()
        return value
      } catch let error as ClientError {
        if error.mayBeSchemeMismatch, let mismatch = await schemeMismatch(at: error.url) {
          throw mismatch
        }
        guard let transient = TransientFailure(error) else { throw failure(error) }
        try await wait(after: transient, &perseverance)
      } catch let transient as TransientFailure {
        try await wait(after: transient, &perseverance)
      }
    }
  }

  /// The state of a call that has not failed yet.
  var perseverance: Perseverance { Perseverance(patience: patience) }

  /// Waits before a call is repeated.
  ///
  /// - Throws: ``CommandFailure`` if waiting is pointless, or if the patience has run out.
  func wait(
    after failure: TransientFailure, _ perseverance: inout Perseverance
  ) async throws {
    guard contact.isWorthWaiting(failure) else {
      throw unreachable(isUnknownHost: failure.isUnknownHost)
    }
    if patience > .zero { contact.waits(because: failure, patience: patience) }
    guard try await perseverance.wait() else {
      throw CommandFailure(
        .coordinatorUnreachable,
        lines: [
          "the coordinator was unavailable for \(patience.components.seconds) s"
            + "\(takesPatience ? " (--patience)" : ""): \(servers): \(failure.reason)",
          "to continue: \(contact.resumption)",
        ])
    }
  }

  private func unreachable(isUnknownHost: Bool) -> CommandFailure {
    if isUnknownHost {
      let names = servers.all.count > 1 ? "their host names have" : "its host name has"
      return CommandFailure(
        .coordinatorUnreachable, "cannot reach the coordinator", on: "\(servers)",
        remedy: "\(names) no address: check the spelling of --coordinator")
    }
    let waiting =
      takesPatience
      ? ", wait for it with --patience \(FarmSettings.standardPatience.components.seconds),"
      : ","
    return CommandFailure(
      .coordinatorUnreachable, "cannot reach the coordinator", on: "\(servers)",
      remedy: "start `sheaf-coordinator serve`\(waiting) or name another with --coordinator")
  }

  func check(_ response: ClientResponse, of subject: String) throws(CommandFailure) {
    guard response.status.isSuccess else { throw refusal(response, of: subject) }
  }

  private func refusal(_ response: ClientResponse, of subject: String) -> CommandFailure {
    let problem = response.problem
    let detail = problem?.detail ?? "\(response.status)"
    if problem?.type == ProblemType.invalidProject.rawValue {
      return .invalidProject(detail.split(separator: "\n").map(String.init))
    }
    // If the farm may not fetch from a URL in the project, another token does not help.
    let isAboutAssets = problem?.type == ProblemType.assetNotAllowed.rawValue
    if [.unauthorized, .forbidden].contains(response.status), !isAboutAssets {
      guard response.status == .unauthorized else {
        return CommandFailure(.notAllowed, "not allowed", on: subject, remedy: detail)
      }
      // The answer to a HEAD request has no words.
      let reason = problem?.detail ?? "the coordinator needs a valid token"
      return CommandFailure(
        .notAllowed, "not allowed",
        on: problem == nil ? servers.address(in: response.url) : subject,
        remedy: "\(reason) (--token-file FILE, or SHEAF_TOKEN)")
    }
    return CommandFailure(
      .failed, "the coordinator rejected the request", on: subject, remedy: detail)
  }

  func read<Value: Decodable>(
    _ response: ClientResponse, of subject: String
  ) throws -> Value {
    try check(response, of: subject)
    do {
      return try FarmCoding.decode(Value.self, from: response.body)
    } catch {
      let isJSON = response.headers["Content-Type"]?.hasPrefix("application/json") ?? false
      guard isJSON, (try? JSONSerialization.jsonObject(with: response.body)) != nil else {
        throw TransientFailure(reason: "another server responded in the coordinator's place")
      }
      throw CommandFailure(
        .failed, "cannot read the coordinator's response", on: subject,
        remedy: "install the same version of sheaf and sheaf-coordinator")
    }
  }
}
