#include "sheaf_code.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

static int release(struct dl_phdr_info *loaded, size_t size, void *context) {
  (void)size;
  (void)context;
  const uint64_t page = 4096;
  for (int number = 0; number < loaded->dlpi_phnum; number++) {
    const ElfW(Phdr) *part = &loaded->dlpi_phdr[number];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_W)) continue;
    uint64_t first = (loaded->dlpi_addr + part->p_vaddr) & ~(page - 1);
    uint64_t end = (loaded->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) & ~(page - 1);
    madvise((void *)(uintptr_t)first, end - first, MADV_DONTNEED);
  }
  return 0;
}

void sheaf_release_code(void) { dl_iterate_phdr(release, NULL); }
