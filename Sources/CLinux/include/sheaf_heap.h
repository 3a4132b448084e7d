#pragma once

/* Makes all threads allocate from one heap (M_ARENA_MAX). Free memory beyond 1 MiB at its end is returned to the system
   (M_TRIM_THRESHOLD). */
void sheaf_use_one_heap(void);

/* Makes threads allocate from two heaps. Blocks of at least 256 KiB are mapped, and returned to the system when they
   are freed (M_MMAP_THRESHOLD); by default, glibc raises that threshold after the first. */
void sheaf_use_two_heaps(void);
