#pragma once

/* Makes all threads allocate from one heap (M_ARENA_MAX). Free memory beyond 1 MiB at its end is returned to the system
   (M_TRIM_THRESHOLD). */
void sheaf_use_one_heap(void);

/* Makes threads allocate from two heaps. Blocks of at least 256 KiB are mapped, and returned to the system when they
   are freed (M_MMAP_THRESHOLD); by default, glibc raises that threshold after the first. */
void sheaf_use_two_heaps(void);

/* Makes a process keep freed memory, up to 64 MiB of it at the end of its heap, however large the freed blocks were. It
   suits a process that reads file after file into memory: the system clears each page that it gives to a process. */
void sheaf_keep_free_memory(void);
