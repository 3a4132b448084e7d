#pragma once

/* Releases the memory of the process that holds read-only parts of the program's and its libraries' files. Parts that
   are used again come back from the kernel's cache. The loader's lock keeps libraries from being unloaded meanwhile. */
void sheaf_release_code(void);
