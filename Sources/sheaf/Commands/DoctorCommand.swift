import Arguments
import FarmAPI
import HTTP
import Processes

/// `sheaf doctor`: checks what the commands of `sheaf` need on this host.
struct DoctorCommand: Command {
  private static let data = Option<String>(
    "data", value: "DIR", help: "Also check the data directory of a coordinator on this host")

  static let syntax = CommandSyntax(
    program: "sheaf", name: "doctor",
    summary: "Check what Sheaf needs on this host, and how to fix what is wrong",
    details: [
      "It checks the programs, libraries, codecs, fonts, sandbox, ports and disks of this host. If "
        + "coordinators are named, or one answers at the default address, it also checks the "
        + "connection, certificate, version, clock and token of each.",
      "Each check is ok, warning, failed or skipped. If any failed, the exit code is the highest of "
        + "theirs: 1, or 4 if a coordinator is unreachable, or 5 if it rejects the token.",
    ],
    options: FarmSettings.options.filter { $0.name != "patience" } + [
      data.declaration, Flag.json.declaration,
    ],
    examples: [
      Example("sheaf doctor", "Check this host"),
      Example(
        "sheaf doctor --coordinator https://farm.example:7420 --token-file ada.token",
        "Also check the connection to a coordinator, and the token"),
    ])

  private let settings: Result<FarmSettings, CommandFailure>
  private let data: String?
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    do {
      settings = .success(try FarmSettings(arguments))
    } catch let failure as CommandFailure {
      // The other checks do not need the configuration file.
      settings = .failure(failure)
    }
    data = try arguments.value(Self.data)
    printsJSON = arguments.has(.json)
  }

  func run(on console: Console) async throws {
    var results: [Diagnosis] = []
    func add(_ diagnoses: [Diagnosis]) throws {
      results += diagnoses
      guard !printsJSON else { return }
      for diagnosis in diagnoses {
        for line in diagnosis.lines(columns: console.columns) { try console.print(line) }
      }
    }
    try add([await ProgramDiagnosis.check()])
    try add(await media())
    let (ports, found) = try await PortDiagnosis.check()
    try add([ports, await DiskDiagnosis.temporary().check()])
    if let data { try add([await DiskDiagnosis.data(data).check()]) }
    try add(await connection(found: found))
    if printsJSON { try console.print(json: DiagnosisReport(results)) }
    try conclude(results, on: console)
  }

  private func media() async throws -> [Diagnosis] {
    do {
      return MediaDiagnosis.diagnoses(of: try await LocalMedia().examineHost())
    } catch let error as JobError {
      return MediaDiagnosis.diagnoses(of: error)
    } catch let error as ProcessError {
      return MediaDiagnosis.diagnoses(of: JobError(.mediaProcessFailed, error.message))
    }
  }

  /// Checks the coordinators that are named, or the one that answers at the default address.
  private func connection(found: String?) async throws -> [Diagnosis] {
    let settings: FarmSettings
    switch self.settings {
    case .success(let valid): settings = valid
    case .failure(let failure):
      return [Self.invalid("settings", failure)] + CoordinatorDiagnosis.skipped
    }
    guard settings.coordinators.isSet || found != nil else { return CoordinatorDiagnosis.skipped }
    var invalid: Diagnosis?
    var credentials = Credentials()
    do throws(CommandFailure) {
      credentials = try settings.credentials()
    } catch {
      invalid = Self.invalid("credentials", error)
    }
    var diagnoses = [invalid].compactMap(\.self)
    for address in settings.coordinators.value {
      diagnoses += try await CoordinatorDiagnosis.check(
        address, with: credentials, canReadToken: invalid == nil)
    }
    if invalid == nil, let file = TokenFileDiagnosis.check(settings) { diagnoses.append(file) }
    return diagnoses
  }

  private static func invalid(_ check: String, _ failure: CommandFailure) -> Diagnosis {
    .failed(
      check, failure.lines.joined(separator: "; "),
      fix: "correct it, and look at the result with `sheaf config`")
  }

  /// Counts what is wrong.
  private func conclude(_ results: [Diagnosis], on console: Console) throws {
    let failed = results.filter { $0.state == .failed }
    let warnings = results.filter { $0.state == .warning }.count
    let found = [(failed.count, "failed check"), (warnings, "warning")]
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
    if !printsJSON {
      try console.print("")
      try console.print(
        prose: found.isEmpty ? "Nothing is wrong." : found.joined(separator: ", ") + ".")
    }
    if let worst = failed.map(\.exitCode).max() { throw CommandFailure(worst, lines: []) }
  }
}
