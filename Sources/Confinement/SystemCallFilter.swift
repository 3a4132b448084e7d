import CSeccomp
import Glibc

/// A filter of system calls, made with libseccomp. A call without a rule fails as if the kernel did not have it.
struct SystemCallFilter: ~Copyable {
  private let context: scmp_filter_ctx

  /// The result of a call.
  enum Verdict {
    case allow
    /// It fails with an error number.
    case refuse(Int32)
    /// The process is killed by SIGSYS.
    case kill

    fileprivate var action: UInt32 {
      switch self {
      case .allow: sheaf_seccomp_allow
      case .refuse(let number): sheaf_seccomp_refuse(UInt16(truncatingIfNeeded: number))
      case .kill: sheaf_seccomp_kill
      }
    }
  }

  /// A condition on an argument of a call.
  enum Condition {
    /// The argument with this index, from 0, equals the value.
    case equals(UInt32, UInt64)
    /// The argument differs from the value.
    case differs(UInt32, UInt64)
    /// All of these bits are set in the argument.
    case has(UInt32, UInt64)
    /// Of the first bits, the argument has exactly the second ones set.
    case among(UInt32, UInt64, UInt64)
    /// None of these bits is set in the argument.
    case hasNone(UInt32, UInt64)

    fileprivate var comparison: scmp_arg_cmp {
      switch self {
      case .equals(let argument, let value):
        scmp_arg_cmp(arg: argument, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
      case .differs(let argument, let value):
        scmp_arg_cmp(arg: argument, op: SCMP_CMP_NE, datum_a: value, datum_b: 0)
      case .has(let argument, let bits):
        scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: bits, datum_b: bits)
      case .among(let argument, let bits, let value):
        scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: bits, datum_b: value)
      case .hasNone(let argument, let bits):
        scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: bits, datum_b: 0)
      }
    }
  }

  init() throws(SandboxError) {
    guard let context = seccomp_init(Verdict.refuse(ENOSYS).action) else {
      throw SandboxError("libseccomp ran out of memory", remedy: "free some memory")
    }
    self.context = context
    // Kills the process if it makes a call with another architecture's numbers.
    seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, Verdict.kill.action)
    // Applies to every thread, and compiles to a tree of comparisons instead of a list.
    seccomp_attr_set(context, SCMP_FLTATR_CTL_TSYNC, 1)
    seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2)
    // Turns off mitigations that would only protect the process's data from itself.
    seccomp_attr_set(context, SCMP_FLTATR_CTL_SSB, 1)
  }

  deinit { seccomp_release(context) }

  /// Adds rules for calls by name, which apply if all conditions hold. A call that this machine does not have needs no
  /// rule.
  func add(
    _ verdict: Verdict, _ calls: [String], where conditions: [Condition] = []
  ) throws(SandboxError) {
    let comparisons = conditions.map(\.comparison)
    for call in calls {
      let number = seccomp_syscall_resolve_name(call)
      // __NR_SCMP_ERROR is -1; other negative numbers are calls of other architectures.
      guard number >= 0 else { continue }
      let status = seccomp_rule_add_array(
        context, verdict.action, number, UInt32(comparisons.count), comparisons)
      guard status == 0 else {
        throw SandboxError(
          "libseccomp rejects a rule for \(call)", remedy: "update libseccomp", number: -status)
      }
    }
  }

  /// Applies the filter to the process permanently.
  func load() throws(SandboxError) {
    let status = seccomp_load(context)
    guard status == 0 else {
      throw SandboxError(
        "the kernel rejects the filter", remedy: "see docs/operating.md", number: -status)
    }
  }
}
