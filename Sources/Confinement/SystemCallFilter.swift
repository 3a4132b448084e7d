import CSeccomp
import Glibc

/// A filter of system calls, by libseccomp. A call that no rule is about is one that the kernel does not have.
struct SystemCallFilter: ~Copyable {
  private let context: scmp_filter_ctx

  /// The result of a call.
  enum Verdict {
    case allow
    /// It fails with an error number.
    case refuse(Int32)
    /// The process ends by SIGSYS.
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
    /// The argument of a number, from 0, has this value.
    case equals(UInt32, UInt64)
    /// It has another one.
    case differs(UInt32, UInt64)
    /// It has these bits.
    case has(UInt32, UInt64)
    /// Among the first bits it has the second, and no others.
    case among(UInt32, UInt64, UInt64)
    /// It has none of these bits.
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
      throw SandboxError("libseccomp makes no filter", remedy: "free memory")
    }
    self.context = context
    // Calls of another architecture's numbers.
    seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, Verdict.kill.action)
    // Every thread, and a tree of comparisons rather than a list.
    seccomp_attr_set(context, SCMP_FLTATR_CTL_TSYNC, 1)
    seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2)
    // The process's own data need no guard against the process.
    seccomp_attr_set(context, SCMP_FLTATR_CTL_SSB, 1)
  }

  deinit { seccomp_release(context) }

  /// Rules on calls by name, which hold where every condition does. A call that this machine does not have needs none.
  func add(
    _ verdict: Verdict, _ calls: [String], where conditions: [Condition] = []
  ) throws(SandboxError) {
    let comparisons = conditions.map(\.comparison)
    for call in calls {
      let number = seccomp_syscall_resolve_name(call)
      // __NR_SCMP_ERROR is -1; other negative numbers are calls of other machines.
      guard number >= 0 else { continue }
      let status = seccomp_rule_add_array(
        context, verdict.action, number, UInt32(comparisons.count), comparisons)
      guard status == 0 else {
        throw SandboxError(
          "libseccomp does not take a rule on \(call)", remedy: "update libseccomp", number: -status
        )
      }
    }
  }

  /// Puts the process under the filter, for good.
  func load() throws(SandboxError) {
    let status = seccomp_load(context)
    guard status == 0 else {
      throw SandboxError(
        "the kernel takes no filter", remedy: "see docs/operating.md", number: -status)
    }
  }
}
