import FarmAPI
import Foundation
import HTTP
import Preparation
import Support
import Testing
import sheaf

/// How `sheaf doctor` judges what it finds.
@Suite(.mayBlock) struct DiagnosisTests {
  private static let library = HostMedia.Library(
    name: "libavcodec", built: "59.37.100", loaded: "59.37.100", isRecent: true)

  private func media(_ change: (inout HostMedia) -> Void = { _ in }) -> [String: Diagnosis] {
    var media = HostMedia(
      version: "5.1", libraries: [Self.library], missingEncoders: [:], encoders: 10,
      missingDecoders: [], decoders: 40,
      fonts: HostMedia.Fonts(families: 12, sans: "DejaVu Sans", missing: []), landlock: 3)
    change(&media)
    return Dictionary(
      uniqueKeysWithValues: MediaDiagnosis.diagnoses(of: media).map { ($0.check, $0) })
  }

  @Test func `a complete host has nothing wrong`() {
    #expect(media().count == 5)
    #expect(media().values.allSatisfy { $0.state == .ok && $0.remedy == nil })
  }

  @Test func `an old library is a failure that names both versions`() {
    let found = media {
      $0.libraries[0].loaded = "59.1.0"; $0.libraries[0].isRecent = false
    }
    #expect(found["libraries"]?.state == .failed)
    #expect(found["libraries"]?.message.contains("59.1.0 instead of 59.37.100") == true)
  }

  @Test func `a missing encoder is a failure, and a missing decoder a warning`() {
    let found = media { media in
      media.missingEncoders = ["hevc": "libx265"]
      media.missingDecoders = ["libdav1d"]
    }
    #expect(found["encoders"]?.state == .failed)
    #expect(found["encoders"]?.message == "exports cannot use hevc (libx265)")
    #expect(found["decoders"]?.state == .warning)
    #expect(found["decoders"]?.message.hasSuffix(": libdav1d") == true)
  }

  @Test func `missing fonts are a failure, and missing letters a warning with their packages`() {
    let none = media { $0.fonts = HostMedia.Fonts(families: 0, sans: nil, missing: []) }
    #expect(none["fonts"]?.state == .failed)
    let few = media { $0.fonts.missing = ["Chinese", "Korean", "emoji"] }
    #expect(few["fonts"]?.state == .warning)
    #expect(few["fonts"]?.message.hasSuffix("no font has Chinese, Korean or emoji") == true)
    #expect(few["fonts"]?.remedy?.contains("fonts-noto-cjk fonts-noto-color-emoji") == true)
  }

  @Test func `a host without Landlock is a warning, and one without seccomp a failure`() {
    #expect(media { $0.landlock = nil }["sandbox"]?.state == .warning)
    let error = JobError(.notConfined, "cannot confine the process")
    let states = MediaDiagnosis.diagnoses(of: error).map(\.state)
    #expect(states == [.skipped, .skipped, .skipped, .skipped, .failed])
  }

  @Test func `a media program that does not run is a failure of the libraries`() {
    let error = JobError(.mediaProgramUnusable, "sheaf-media cannot be used")
    let diagnoses = MediaDiagnosis.diagnoses(of: error)
    #expect(diagnoses.map(\.state) == [.failed, .skipped, .skipped, .skipped, .skipped])
    #expect(diagnoses[0].message == "sheaf-media cannot be used")
  }

  @Test func `programs must exist, run and have the same version`() {
    func state(_ worker: ProgramDiagnosis.Finding) -> Diagnosis {
      ProgramDiagnosis.diagnosis(of: [
        ("sheaf-coordinator", .version(SheafVersion.current)), ("sheaf-worker", worker),
      ])
    }
    #expect(state(.version(SheafVersion.current)).state == .ok)
    #expect(state(.version("0.1")).message.contains("sheaf-worker has version 0.1"))
    #expect(state(.missing("/opt/sheaf-worker")).message.contains("/opt/sheaf-worker"))
    #expect(state(.broken("/opt/sheaf-worker", because: "no")).state == .failed)
  }

  @Test func `a port is free, a coordinator's or taken`() {
    func judge(
      _ standard: PortAvailability, _ answer: PortDiagnosis.Answer? = nil,
      loopback: PortAvailability = .free
    ) -> Diagnosis.State {
      PortDiagnosis.diagnosis(loopback: loopback, standard: standard, answer: answer).state
    }
    #expect(judge(.free) == .ok)
    #expect(judge(.taken, .coordinator("http://127.0.0.1:7420")) == .ok)
    #expect(judge(.taken, .secure) == .ok)
    #expect(judge(.taken, .other) == .warning)
    #expect(judge(.refused("no")) == .warning)
    #expect(judge(.free, loopback: .refused("no")) == .failed)
  }

  @Test func `a disk has space, little or none`() {
    let disk = DiskDiagnosis.data("/srv")
    func judge(_ facts: DiskDiagnosis.Facts) -> Diagnosis.State { disk.diagnosis(of: facts).state }
    #expect(judge(.init(free: 100 << 30)) == .ok)
    #expect(judge(.init(free: 1 << 30)) == .warning)
    #expect(judge(.init(free: 1 << 20)) == .failed)
    #expect(judge(.init(free: 100 << 30, inodes: 3)) == .failed)
    #expect(judge(.init(problem: "Permission denied", free: 100 << 30)) == .failed)
    #expect(judge(.init()) == .warning)
    let new = disk.diagnosis(of: .init(exists: false, free: 100 << 30))
    #expect(new.state == .ok && new.message.contains("creates it"))
  }

  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test(arguments: [
    (0.0, Diagnosis.State.ok), (9, .ok), (-9, .ok), (60, .warning), (-60, .warning),
    (3600, .failed), (-3600, .failed),
  ])
  func `a difference between clocks is judged by its size`(
    seconds: Double, state: Diagnosis.State
  ) {
    let found = CoordinatorDiagnosis.clock(
      server: Self.now.addingTimeInterval(-seconds), sent: Self.now, received: Self.now)
    #expect(found.state == state, "\(found.message)")
    if state != .ok { #expect(found.message.contains(seconds > 0 ? "ahead of" : "behind")) }
  }

  @Test func `a slow response does not count as a difference between clocks`() {
    let found = CoordinatorDiagnosis.clock(
      server: Self.now.addingTimeInterval(-30), sent: Self.now.addingTimeInterval(-40),
      received: Self.now)
    #expect(found.state == .ok)
    #expect(
      CoordinatorDiagnosis.clock(server: nil, sent: Self.now, received: Self.now).state == .skipped)
  }

  @Test func `a certificate is reported before it expires`() {
    func judge(_ days: Double) -> Diagnosis {
      CoordinatorDiagnosis.certificate(
        expiry: Self.now.addingTimeInterval(days * 86_400), now: Self.now)
    }
    #expect(judge(90).state == .ok)
    #expect(judge(13.5).state == .warning && judge(13.5).message.contains("13 days"))
    #expect(judge(1.5).message.contains("in 1 day,"))
  }

  @Test func `another version is a failure`() {
    #expect(CoordinatorDiagnosis.version(of: SheafVersion.current).state == .ok)
    #expect(CoordinatorDiagnosis.version(of: "0.8.0").state == .failed)
    #expect(CoordinatorDiagnosis.version(of: nil).state == .failed)
  }

  @Test func `a token is judged by its role`() {
    func judge(_ role: String) -> Diagnosis {
      CoordinatorDiagnosis.token(
        .init(needsToken: false, name: "ada", role: role), hasToken: true)
    }
    for role in ["submitter", "observer", "admin"] { #expect(judge(role).state == .ok) }
    #expect(judge("worker").state == .warning)
    let missing = CoordinatorDiagnosis.token(.init(needsToken: true), hasToken: false)
    #expect(missing.state == .failed && missing.exitCode == .notAllowed)
    #expect(CoordinatorDiagnosis.token(.init(needsToken: false), hasToken: false).state == .ok)
  }

  @Test func `a token that other users can read is a warning`() {
    #expect(TokenFileDiagnosis.diagnosis(of: "a.token", mode: 0o100600).state == .ok)
    let open = TokenFileDiagnosis.diagnosis(of: "a.token", mode: 0o100640)
    #expect(open.state == .warning && open.remedy?.contains("chmod 600 a.token") == true)
  }

  @Test func `a result has one line, or lines that fit, and states how to fix it`() {
    let failed = Diagnosis.failed("fonts", "none are installed", fix: "install one")
    #expect(
      failed.lines(columns: nil)
        == ["failed   fonts: none are installed", "         fix: install one"])
    #expect(failed.lines(columns: 24).allSatisfy { $0.count <= 24 })
    #expect(
      Diagnosis.skipped("token", "no coordinator is named", fix: "name one").lines(columns: nil)[1]
        == "         to include it: name one")
  }
}
