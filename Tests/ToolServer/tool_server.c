#include "tool_server.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sheaf_process.h"

typedef int program_main(int, char **, char **);
typedef int program_start(program_main *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

static program_main *tool;

/* Reads exactly `count` bytes from the requests. Returns 0 at their end. */
static int receive(void *bytes, size_t count) {
  char *next = bytes;
  while (count > 0) {
    ssize_t received = read(STDIN_FILENO, next, count);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return 0;
    next += received;
    count -= (size_t)received;
  }
  return 1;
}

/* Opens a file under the number of a standard stream. */
static void open_as(int number, const char *path, int flags) {
  int file = open(path, flags);
  if (file < 0 || dup2(file, number) < 0) _exit(127);
  if (file != number) close(file);
}

/* Runs the tool in a copy of the server, with the paths of its standard streams and its arguments, each of which ends with
   a zero. */
static int run(char *request, size_t count) {
  (void)prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL);
  (void)setpgid(0, 0);
  char **words = calloc(count + 1, sizeof *words);
  if (words == NULL) _exit(127);
  int found = 0;
  for (char *word = request; word < request + count; word += strlen(word) + 1) words[found++] = word;
  if (found < 4) _exit(127);
  open_as(STDIN_FILENO, words[0], O_RDONLY);
  open_as(STDOUT_FILENO, words[1], O_WRONLY);
  open_as(STDERR_FILENO, words[2], O_WRONLY);
  exit(tool(found - 3, words + 3, environ));
}

static int serve(int count, char **arguments, char **environment) {
  (void)count, (void)arguments, (void)environment;
  unsetenv("LD_PRELOAD");
  uint32_t length;
  while (receive(&length, sizeof length)) {
    char *request = calloc(1, (size_t)length + 1);
    if (request == NULL || !receive(request, length)) break;
    int32_t child = sheaf_fork_sibling();
    if (child == 0) return run(request, length);
    free(request);
    if (write(STDIN_FILENO, &child, sizeof child) != sizeof child) break;
  }
  _exit(0);
}

/* Takes the place of glibc's function, which starts every program once its libraries are loaded. */
int __libc_start_main(program_main *main, int count, char **arguments, void (*begin)(void), void (*end)(void),
                      void (*end_linker)(void), void *stack) {
  program_start *start = (program_start *)dlsym(RTLD_NEXT, "__libc_start_main");
  tool = main;
  return start(serve, count, arguments, begin, end, end_linker, stack);
}
