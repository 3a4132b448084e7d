#include "sheaf_heap.h"

#include <malloc.h>

void sheaf_use_one_heap(void) {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

void sheaf_use_two_heaps(void) {
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
}

void sheaf_keep_free_memory(void) {
  /* M_MMAP_THRESHOLD cannot be more than 32 MiB. */
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
}
