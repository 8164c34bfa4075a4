/*
 * Loaded before a process of a chaos stack (LD_PRELOAD). While the file that CHAOS_SLOW_DISK names exists,
 * fsync and fdatasync take as many milliseconds longer as the file says. While the file that CHAOS_DNS_AWAY
 * names exists, no host name is found.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Returns the number in the file that the variable names; -1 while there is no such file. */
static long number_in(const char *variable) {
  const char *path = getenv(variable);
  if (path == NULL) return -1;
  int saved = errno;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  char text[16] = {0};
  long number = -1;
  if (file >= 0) {
    number = read(file, text, sizeof text - 1) > 0 ? strtol(text, NULL, 10) : 0;
    close(file);
  }
  errno = saved;
  return number;
}

static void wait_for_disk(void) {
  long ms = number_in("CHAOS_SLOW_DISK");
  if (ms <= 0) return;
  struct timespec left = {ms / 1000, (ms % 1000) * 1000000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

int fsync(int file) {
  static int (*next)(int);
  if (next == NULL) next = dlsym(RTLD_NEXT, "fsync");
  wait_for_disk();
  return next(file);
}

int fdatasync(int file) {
  static int (*next)(int);
  if (next == NULL) next = dlsym(RTLD_NEXT, "fdatasync");
  wait_for_disk();
  return next(file);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  static int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
  if (next == NULL) next = dlsym(RTLD_NEXT, "getaddrinfo");
  if (node != NULL && number_in("CHAOS_DNS_AWAY") >= 0) return EAI_AGAIN;
  return next(node, service, hints, found);
}
