import Capture
import Confinement
import FarmAPI
import Foundation
import Media
import Preparation
import Recording
import SRT
import Sheaf
import Threads

/// The service `record`, which records a source from a descriptor that its parent process passes.
///
/// `@unchecked` is sound because `condition` is locked during every access to `events`, `hasEnded` and `failure`.
/// `input` is set before the receiving thread starts, and then belongs to it. The rest belongs to the thread that
/// answers requests.
final class RecordingService: ChildService, @unchecked Sendable {
  private let condition = NSCondition()
  private var events: [RecorderEvent] = []
  private var hasEnded = false
  private var failure: JobFailure?
  private var descriptor: Int32 = -1
  private var recorder: LiveRecorder?
  /// The input, if it has to connect first.
  private var input: (any ConnectingInput)?
  /// The input, if it is capture devices.
  private var devices: DeviceInput?

  func sandbox(for first: RecordingRequest) -> Sandbox {
    guard case .begin(let beginning) = first else { return Sandbox(limits: .record) }
    return Sandbox(
      limits: .record, writable: [beginning.folder],
      keepsSocketOptions: beginning.delivery.usesSRT,
      ioctls: beginning.delivery.devices.flatMap(\.requests))
  }

  func take(_ descriptor: Int32) {
    if self.descriptor >= 0 { close(self.descriptor) }
    self.descriptor = descriptor
  }

  func handle(_ request: RecordingRequest) throws -> ChildAnswer {
    switch request {
    case .begin(let beginning):
      try begin(beginning)
      return .done
    case .attach:
      guard descriptor >= 0, let devices else {
        throw MediaError(
          .invalidSettings, "there is no device to attach", on: "the recording")
      }
      devices.attach(descriptor)
      descriptor = -1
      return .done
    case .next(let milliseconds): return .recorded(news(within: milliseconds))
    case .stop:
      recorder?.stop()
      return .done
    }
  }

  private func begin(_ beginning: RecordingBeginning) throws {
    guard descriptor >= 0, recorder == nil else {
      throw MediaError(
        .invalidSettings, "the first request must pass the source's descriptor", on: beginning.name)
    }
    let taken = descriptor
    descriptor = -1
    let source = try source(for: beginning, taking: taken)
    var settings = RecordingSettings()
    settings.isDurable = beginning.isDurable
    var place = LiveRecorder.Place(
      folder: beginning.folder, firstPart: beginning.firstPart, start: beginning.start,
      settings: settings, waitsForDisk: beginning.delivery == .waiting)
    place.encoding = LiveEncoder.Settings(beginning.encoding)
    let recorder = LiveRecorder(recording: source, at: place) { [unowned self] event in
      condition.lock()
      events.append(event)
      condition.broadcast()
      condition.unlock()
    }
    self.recorder = recorder
    BlockingThread.start(named: "receive") { [unowned self] in
      var failure: JobFailure?
      do {
        if try input?.connect(while: { !recorder.hasStopped }) ?? true { try recorder.run() }
      } catch {
        failure = MediaCommand.failure(error).shortened
      }
      condition.lock()
      self.failure = failure
      hasEnded = true
      condition.broadcast()
      condition.unlock()
    }
  }

  /// The source that a descriptor delivers.
  private func source(
    for beginning: RecordingBeginning, taking descriptor: Int32
  ) throws -> any RecordableSource {
    let name = beginning.name
    switch beginning.delivery {
    case .plain, .waiting:
      return LiveSource(taking: descriptor, named: name, mayBeFile: beginning.mayBeFile)
    case .rtmp(let key):
      return LiveSource(from: RTMPInput(taking: descriptor, key: key), named: name)
    case .srtCaller(let passphrase):
      return connecting(
        try SRTInput(taking: descriptor, as: .caller, passphrase, named: name), named: name)
    case .srtListener(let passphrase):
      return connecting(
        try SRTInput(taking: descriptor, as: .listener, passphrase, named: name), named: name)
    case .rtsp(let url, let passphrase):
      return connecting(
        RTSPInput(taking: descriptor, playing: url, passphrase, named: name), named: name)
    case .devices(let source, let settings):
      let devices = DeviceInput(source.devices, settings)
      devices.attach(descriptor)
      self.devices = devices
      return CapturedSource(from: devices, named: name)
    }
  }

  private func connecting(_ input: any ConnectingInput, named name: String) -> LiveSource {
    self.input = input
    return LiveSource(from: input, named: name)
  }

  /// Waits for events, or for the end.
  private func news(within milliseconds: Int) -> RecordingNews {
    let deadline = Date(timeIntervalSinceNow: Double(milliseconds) / 1000)
    condition.lock()
    defer { condition.unlock() }
    while events.isEmpty, !hasEnded, condition.wait(until: deadline) {}
    defer { events = [] }
    return RecordingNews(events: events, hasEnded: hasEnded, failure: failure)
  }
}

extension LiveEncoder.Settings {
  fileprivate init(_ encoding: RecordingEncoding) {
    self.init()
    videoBitRate = encoding.videoBitRate
    keyframeInterval = encoding.keyframeInterval ?? keyframeInterval
    audioBitRate = encoding.audioBitRate ?? audioBitRate
    // More would need more memory than a recorder may use.
    threads = min(ProcessInfo.processInfo.activeProcessorCount, 4)
  }
}

extension CaptureDevice {
  /// The requests that capturing from it makes of the kernel.
  fileprivate var requests: [UInt64] {
    switch self {
    case .video: VideoDevice.requests
    case .sound: SoundDevice.requests
    }
  }
}
