// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: one language mode, warnings are errors. One compiler process emits a target's
/// module and its code; two would both parse and check the target, which takes up to twice the processor time.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-no-emit-module-separately-wmo"]),
]

/// The targets that are written in C.
let cTargets: Set = ["CCapture", "CLinux", "CStatusPage", "ToolServer"]

/// The dependencies of the coordinator's tests, which are three targets because one compiler process reads a target.
let coordinator: [Target.Dependency] = [
  "sheaf-coordinator", "Arguments", "Scheduling", "FarmAPI", "HTTP", "SQL", "SQLite",
  "PostgreSQL", "S3", "Crypto", "Planning", "ProjectFormat", "Recording", "Timeline", "Media",
  "Preparation", "Processes",
  "Support",
]

let package = Package(
  name: "sheaf",
  products: [
    .library(name: "Sheaf", targets: ["Sheaf", "Recording"]),
    .library(name: "Timeline", targets: ["Timeline"]),
    .library(name: "ProjectFormat", targets: ["ProjectFormat"]),
    .library(name: "Planning", targets: ["Planning"]),
    .library(name: "Rendering", targets: ["Rendering"]),
    .executable(name: "sheaf", targets: ["sheaf"]),
    .executable(name: "sheaf-coordinator", targets: ["sheaf-coordinator"]),
    .executable(name: "sheaf-worker", targets: ["sheaf-worker"]),
    .executable(name: "sheaf-media", targets: ["sheaf-media"]),
    // What the tests preload into ffmpeg.
    .library(name: "ToolServer", type: .dynamic, targets: ["ToolServer"]),
  ],
  targets: [
    // C libraries: a module map and a shim each. Only the wrapper beside the comment imports one.
    .systemLibrary(name: "CFFmpeg"),  // Media
    .systemLibrary(name: "CRubberBand"),  // Media
    .systemLibrary(name: "CEBUR128"),  // Media
    .systemLibrary(name: "CHEIF"),  // Media
    .systemLibrary(name: "CWebP"),  // Media
    .systemLibrary(name: "CSRT"),  // SRT
    .systemLibrary(name: "CMicroHTTPD"),  // HTTP
    .systemLibrary(name: "CCurl"),  // HTTP
    .systemLibrary(name: "CZlib"),  // HTTP
    .systemLibrary(name: "CSQLite"),  // SQLite
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq"),  // PostgreSQL
    .systemLibrary(name: "CCrypto"),  // Crypto
    .systemLibrary(name: "CXXHash"),  // Crypto
    .systemLibrary(name: "CPango", pkgConfig: "pangocairo"),  // Typesetting
    .systemLibrary(name: "CRSVG", pkgConfig: "librsvg-2.0"),  // Typesetting
    .systemLibrary(name: "CXML", pkgConfig: "libxml-2.0"),  // Typesetting
    .systemLibrary(name: "CSeccomp"),  // Confinement

    // C code, for what Swift's Glibc lacks.
    .target(
      name: "CCapture",
      cSettings: [.define("_GNU_SOURCE"), .treatAllWarnings(as: .error)]),
    .target(
      name: "CLinux",
      cSettings: [.define("_GNU_SOURCE"), .treatAllWarnings(as: .error)]),

    // The files of the status page, which the compiler embeds.
    .target(
      name: "CStatusPage",
      cSettings: [.treatAllWarnings(as: .error), .unsafeFlags(["-Wno-c23-extensions"])]),

    // Pure: no I/O.
    .target(name: "Arguments"),
    .target(name: "Timeline"),
    .target(name: "ProjectFormat", dependencies: ["Timeline"]),
    .target(name: "Planning", dependencies: ["ProjectFormat", "Timeline", "Crypto"]),
    .target(
      name: "FarmAPI",
      dependencies: ["Planning", "ProjectFormat", "Recording", "Timeline", "Crypto"]),
    .target(name: "Scheduling", dependencies: ["FarmAPI", "Planning", "Crypto"]),
    .target(name: "Recording", dependencies: ["Timeline", "Crypto"]),
    .target(name: "SQL"),

    // Wrappers, which know nothing of farms.
    .target(name: "Threads"),
    .target(name: "Processes", dependencies: ["CLinux", "Threads"]),
    .target(name: "Confinement", dependencies: ["CSeccomp", "CLinux", "Processes"]),
    .target(name: "Crypto", dependencies: ["CCrypto", "CXXHash", "Threads"]),
    .target(
      name: "Media",
      dependencies: [
        "CFFmpeg", "CRubberBand", "CEBUR128", "CHEIF", "CWebP", "ProjectFormat", "Timeline",
        "Crypto", "Threads",
      ]),
    .target(name: "SQLite", dependencies: ["CSQLite", "SQL", "Threads"]),
    .target(name: "PostgreSQL", dependencies: ["CPostgreSQL", "SQL"]),
    .target(name: "Capture", dependencies: ["CCapture", "Threads"]),
    .target(name: "SRT", dependencies: ["CSRT"]),
    .target(name: "RTMP"),
    .target(name: "RTSP", dependencies: ["Crypto"]),
    .target(name: "HTTP", dependencies: ["CMicroHTTPD", "CCurl", "CZlib", "Threads"]),
    .target(name: "S3", dependencies: ["HTTP", "Crypto"]),

    .target(
      name: "Typesetting",
      dependencies: [
        "CPango", "CRSVG", "CXML", "ProjectFormat", "Timeline", "Planning", "Media", "Crypto",
      ]),
    .target(
      name: "Rendering", dependencies: ["Planning", "Media", "Timeline", "Crypto", "Threads"]),

    // For programs that use Sheaf as a library.
    .target(
      name: "Sheaf",
      dependencies: ["Recording", "Rendering", "Media", "Timeline", "Crypto", "Threads"]),

    // How a job is prepared, over child processes.
    .target(
      name: "Preparation",
      dependencies: [
        "FarmAPI", "Planning", "ProjectFormat", "Recording", "Timeline", "Crypto", "Processes",
        "Threads",
      ]),

    // Programs.
    .executableTarget(
      name: "sheaf",
      dependencies: [
        "Arguments", "FarmAPI", "HTTP", "ProjectFormat", "Recording", "Timeline", "Planning",
        "Preparation", "Crypto", "Threads", "Processes",
      ]),
    .executableTarget(
      name: "sheaf-coordinator",
      dependencies: [
        "Arguments", "Scheduling", "FarmAPI", "HTTP", "SQL", "SQLite", "PostgreSQL", "S3", "Crypto",
        "Planning",
        "ProjectFormat", "Recording", "Timeline", "Preparation", "Threads", "Processes", "CLinux",
        "CStatusPage",
      ],
      path: "coordinator", exclude: ["StatusPage/Files"]),
    .executableTarget(
      name: "sheaf-worker",
      dependencies: [
        "Arguments", "FarmAPI", "HTTP", "Crypto", "Planning", "Timeline", "Media", "Rendering",
        "Threads",
        "Confinement", "Processes", "CLinux",
      ],
      path: "worker"),
    // What the command line and the coordinator start to open media.
    .executableTarget(
      name: "sheaf-media",
      dependencies: [
        "Preparation", "Rendering", "Typesetting", "Media", "Sheaf", "Recording", "FarmAPI",
        "Planning", "ProjectFormat", "Timeline", "Capture", "Crypto", "Confinement", "Processes",
        "RTMP", "RTSP", "SRT", "Threads", "CLinux",
      ],
      path: "media"),

    // What `Benchmarks/load` plays.
    .executableTarget(
      name: "farm-load",
      dependencies: ["FarmAPI", "HTTP", "Crypto", "Planning", "Media", "Rendering", "Threads"],
      path: "Benchmarks/Load"),
    // What `make bench-scaling` prints.
    .executableTarget(
      name: "farm-scaling", dependencies: ["FarmAPI", "Planning", "Scheduling"],
      path: "Benchmarks/Scaling"),

    // What `make devices` runs in a virtual machine.
    .executableTarget(
      name: "capture-check", dependencies: ["Capture", "Confinement", "Processes"],
      path: "Tests/Devices", exclude: ["check", "record", "recorded"]),

    // Tests mirror the tree.
    .target(
      name: "ToolServer", dependencies: ["CLinux"], path: "Tests/ToolServer",
      cSettings: [.define("_GNU_SOURCE"), .treatAllWarnings(as: .error)]),
    .target(
      name: "Support", dependencies: ["Arguments", "FarmAPI", "Timeline", "Processes"],
      path: "Tests/Support"),
    .testTarget(name: "ArgumentsTests", dependencies: ["Arguments", "Support"]),
    .testTarget(name: "ThreadsTests", dependencies: ["Threads", "Support"]),
    .executableTarget(
      name: "confined", dependencies: ["Confinement", "Processes", "CLinux"],
      path: "Tests/Confined"),
    .testTarget(name: "ConfinementTests", dependencies: ["Confinement", "confined", "Support"]),
    .testTarget(
      name: "ProcessesTests", dependencies: ["Processes", "Threads", "confined", "Support"]),
    .testTarget(name: "CryptoTests", dependencies: ["Crypto", "Support"]),
    .testTarget(name: "TimelineTests", dependencies: ["ProjectFormat", "Timeline", "Support"]),
    .testTarget(
      name: "ProjectFormatTests", dependencies: ["ProjectFormat", "Timeline", "Support"]),
    .testTarget(name: "CaptureTests", dependencies: ["CCapture", "Capture", "Support"]),
    .testTarget(name: "RTMPTests", dependencies: ["RTMP", "Support"]),
    .testTarget(name: "RTSPTests", dependencies: ["RTSP", "Support"]),
    .testTarget(name: "RecordingTests", dependencies: ["Recording", "Timeline", "Support"]),
    .testTarget(
      name: "PlanningTests",
      dependencies: ["Planning", "ProjectFormat", "Timeline", "Crypto", "Support"]),
    .testTarget(name: "MediaTests", dependencies: ["Media", "Timeline", "Crypto", "Support"]),
    .testTarget(
      name: "TypesettingTests",
      dependencies: [
        "Typesetting", "Planning", "Media", "ProjectFormat", "Timeline", "Crypto", "Support",
      ]),
    .testTarget(
      name: "RenderingTests",
      dependencies: [
        "Rendering", "Media", "Planning", "ProjectFormat", "Timeline", "Crypto", "Support",
      ]),
    .testTarget(
      name: "PreparationTests",
      dependencies: [
        "Preparation", "FarmAPI", "Planning", "Processes", "ProjectFormat", "Timeline", "Crypto",
        "Support",
      ]),
    .testTarget(
      name: "SheafTests",
      dependencies: ["Sheaf", "Recording", "Media", "Timeline", "Crypto", "Processes", "Support"]),
    .testTarget(name: "PostgreSQLTests", dependencies: ["PostgreSQL", "SQL", "Support"]),
    .testTarget(name: "S3Tests", dependencies: ["S3", "HTTP", "Crypto", "Support"]),
    .testTarget(name: "SQLiteTests", dependencies: ["SQL", "SQLite", "Support"]),
    .testTarget(name: "HTTPTests", dependencies: ["HTTP", "Crypto", "Support"]),
    .testTarget(
      name: "FarmAPITests", dependencies: ["FarmAPI", "Planning", "Timeline", "Crypto", "Support"]),
    .testTarget(
      name: "SchedulingTests",
      dependencies: ["Scheduling", "FarmAPI", "Planning", "Crypto", "Timeline", "Support"]),
    .target(
      name: "CoordinatorSupport", dependencies: coordinator, path: "Tests/CoordinatorSupport"),
    .testTarget(name: "CoordinatorTests", dependencies: coordinator + ["CoordinatorSupport"]),
    .testTarget(name: "CoordinatorAPITests", dependencies: coordinator + ["CoordinatorSupport"]),
    .testTarget(
      name: "StorageTests", dependencies: coordinator + ["CoordinatorSupport"],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "WorkerTests",
      dependencies: [
        "sheaf-worker", "Arguments", "FarmAPI", "HTTP", "Crypto", "Planning", "Timeline", "Media",
        "Threads", "Processes", "Support",
      ]),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "sheaf", "Arguments", "FarmAPI", "HTTP", "ProjectFormat", "Timeline", "Planning", "Crypto",
        "Preparation", "Processes", "Support",
      ], exclude: ["Fixtures"]),
    .testTarget(
      name: "EndToEnd", dependencies: ["Processes", "Support", "Timeline", "Crypto"]),
  ]
)

// The fuzzers take libFuzzer's `main`, so that they link in a build with it alone (`scripts/fuzz`), in which the
// coordinator is a library without its own.
if Context.environment["SHEAF_FUZZERS"] != nil {
  let coordinator = package.targets.first { $0.name == "sheaf-coordinator" }
  package.products = []
  package.targets.removeAll { [.executable, .test].contains($0.type) }
  package.targets += [
    .target(
      name: "sheaf-coordinator", dependencies: coordinator?.dependencies ?? [],
      path: "coordinator", exclude: ["Program.swift", "StatusPage/Files"]),
    .systemLibrary(name: "CLibFuzzer", path: "Tests/Fuzzing/CLibFuzzer"),
    .executableTarget(
      name: "project-fuzzer",
      dependencies: ["CLibFuzzer", "Planning", "ProjectFormat", "Timeline", "Crypto", "Support"],
      path: "Tests/Fuzzing/Project"),
    .executableTarget(
      name: "request-fuzzer",
      dependencies: [
        "CLibFuzzer", "sheaf-coordinator", "Scheduling", "FarmAPI", "HTTP", "Crypto", "Planning",
        "Preparation", "ProjectFormat", "Timeline", "CoordinatorSupport", "Support",
      ],
      path: "Tests/Fuzzing/Request"),
    .executableTarget(
      name: "chunk-fuzzer",
      dependencies: [
        "sheaf-coordinator", "Rendering", "Timeline", "Support",
      ],
      path: "Tests/Fuzzing/Chunk"),
    .executableTarget(
      name: "stream-fuzzer", dependencies: ["CLibFuzzer", "RTMP", "RTSP", "Recording"],
      path: "Tests/Fuzzing/Stream"),
  ]
}

// While one works on a module, building only its tests saves most of the time: `SHEAF_TESTS="HTTPTests WorkerTests"`.
if let names = Context.environment["SHEAF_TESTS"]?.split(separator: " ").map(String.init) {
  package.targets.removeAll {
    ["farm-load", "farm-scaling"].contains($0.name) || $0.type == .test && !names.contains($0.name)
  }
}

// A build with a sanitizer has the tests that it is for, and the programs that these import (`scripts/sanitize`).
if let names = Context.environment["SHEAF_SANITIZED"]?.split(separator: " ").map(String.init) {
  package.products = []
  package.targets.removeAll {
    ([.executable, .test].contains($0.type) || $0.name == "CoordinatorSupport")
      && !names.contains($0.name)
  }
  for target in package.targets where target.type != .system && !cTargets.contains(target.name) {
    target.dependencies.append("Synchronization")
  }
  package.targets.append(.target(name: "Synchronization", path: "Tests/Sanitizing/Synchronization"))
}

// Optimizing these tests takes longer than running them. The others compute much in their own code.
let unoptimized: Set = [
  "ArgumentsTests", "CaptureTests", "CommandLineTests", "CoordinatorAPITests",
  "CoordinatorSupport", "CoordinatorTests", "EndToEnd", "FarmAPITests", "HTTPTests", "MediaTests",
  "PlanningTests", "PostgreSQLTests", "PreparationTests", "ProcessesTests", "ProjectFormatTests",
  "RTMPTests", "RTSPTests", "RecordingTests", "S3Tests", "SQLiteTests", "SheafTests",
  "StorageTests", "ThreadsTests", "TimelineTests", "TypesettingTests", "WorkerTests",
]
for target in package.targets where target.type != .system && !cTargets.contains(target.name) {
  target.swiftSettings =
    settings
    + (unoptimized.contains(target.name) ? [.unsafeFlags(["-Onone"])] : [])
}
