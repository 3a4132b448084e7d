"""Loads a seccomp profile in the format of Docker and Kubernetes into this process, with libseccomp."""

import ctypes
import errno
import json

ALLOW = 0x7FFF0000
OPERATORS = {"SCMP_CMP_NE": 1, "SCMP_CMP_EQ": 4, "SCMP_CMP_MASKED_EQ": 7}


class Comparison(ctypes.Structure):
    _fields_ = [
        ("index", ctypes.c_uint), ("operator", ctypes.c_int), ("first", ctypes.c_uint64), ("second", ctypes.c_uint64),
    ]


def prepare(path):
    """Returns a function that loads the profile. Only the function runs after the root directory changed."""
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_load.argtypes = [ctypes.c_void_p]
    library.seccomp_rule_add_array.argtypes = [
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(Comparison),
    ]
    context = library.seccomp_init(action(profile["defaultAction"], profile.get("defaultErrnoRet", errno.EPERM)))
    for rule in profile["syscalls"]:
        arguments = [
            Comparison(one["index"], OPERATORS[one["op"]], one["value"], one.get("valueTwo", 0))
            for one in rule.get("args", [])
        ]
        for name in rule["names"]:
            number = library.seccomp_syscall_resolve_name(name.encode())
            if number == -1:
                raise ValueError(f"{path}: unknown system call: {name}")
            result = library.seccomp_rule_add_array(
                context, action(rule["action"], rule.get("errnoRet", errno.EPERM)), number, len(arguments),
                (Comparison * len(arguments))(*arguments))
            if result != 0:
                raise OSError(-result, f"{path}: cannot add a rule for {name}")

    def load():
        result = library.seccomp_load(context)
        if result != 0:
            raise OSError(-result, "cannot load the profile")

    return load


def action(name, number):
    if name == "SCMP_ACT_ALLOW":
        return ALLOW
    if name == "SCMP_ACT_ERRNO":
        return 0x00050000 | number
    raise ValueError(f"unknown action: {name}")
