#pragma once

/* The exit code of a process that crashes after it ran out of memory. errno stays ENOMEM until another call fails, so
   the crash may have another cause. */
enum { sheaf_code_without_memory = 77 };

/* Makes the calling process exit with that code if it crashes after it ran out of memory, which makes Swift, GLib and
   Rust crash. The signals are SIGILL, SIGTRAP, SIGABRT and SIGSEGV. */
void sheaf_end_without_memory(void);
