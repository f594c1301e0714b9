/*
 * Takes 1,200 MiB or a thousand threads when it is loaded, in the way WAY, holds them for two seconds, and lets them go. It writes one line to the file
 * $ATTACK_REPORT: the name of the error that refused them, or "held".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEMFD, SYSTEM_V, SHARED, TMPFS, FORKS, THREADS, SLEEPERS };

#define MIB (1024L * 1024)
#define BYTES (1200 * MIB)
#define PARTS 8

static int fill_file(int file) {
  static char block[MIB];
  memset(block, 1, sizeof block);
  if (file == -1) return -1;
  for (long written = 0; written < BYTES; written += MIB)
    if (write(file, block, MIB) != MIB) return -1;
  sleep(2);
  return 0;
}

static int fill_pages(void *pages, long bytes) {
  if (pages == MAP_FAILED) return -1;
  memset(pages, 1, bytes);
  sleep(2);
  return 0;
}

static void *fill_part(void *nothing) {
  fill_pages(mmap(NULL, BYTES / PARTS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), BYTES / PARTS);
  return nothing;
}

static int in_shared_memory(void) {
  int id = shmget(IPC_PRIVATE, BYTES, IPC_CREAT | 0600);
  if (id == -1) return -1;
  int result = fill_pages(shmat(id, NULL, 0), BYTES);
  shmctl(id, IPC_RMID, NULL);
  return result;
}

static int in_tmpfs(void) {
  const char *folders[] = {"/dev/shm", "/tmp", "/run", "/var/tmp", "/dev", "/"};
  int error = ENOENT;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i += 1) {
    int file = open(folders[i], O_TMPFILE | O_RDWR, 0600);
    if (file == -1) {
      char path[64];
      snprintf(path, sizeof path, "%s/attack", folders[i]);
      file = open(path, O_CREAT | O_RDWR, 0600);
      unlink(path);
    }
    if (file != -1) return fill_file(file);
    if (errno != ENOENT) error = errno;
  }
  errno = error;
  return -1;
}

static int in_processes(void) {
  for (int i = 0; i < PARTS; i += 1) {
    pid_t pid = fork();
    if (pid == -1) return -1;
    if (pid == 0) {
      fill_part(NULL);
      _exit(0);
    }
  }
  while (wait(NULL) != -1);
  return 0;
}

static int in_threads(void) {
  pthread_t threads[PARTS];
  for (int i = 0; i < PARTS; i += 1) {
    errno = pthread_create(&threads[i], NULL, fill_part, NULL);
    if (errno != 0) return -1;
  }
  for (int i = 0; i < PARTS; i += 1) pthread_join(threads[i], NULL);
  return 0;
}

static void *wait_long(void *nothing) {
  sleep(5);
  return nothing;
}

/* Threads that take neither memory nor processor time, but each a number of those that a container has; as many as it gets. */
static int in_sleepers(void) {
  pthread_attr_t small;
  pthread_t thread;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 16384);
  for (int i = 0; i < 1000; i += 1) {
    if (pthread_create(&thread, &small, wait_long, NULL) != 0) break;
  }
  sleep(2);
  return 0;
}

static int attack_by_way(void) {
  switch (WAY) {
    case MEMFD: return fill_file(memfd_create("attack", 0));
    case SYSTEM_V: return in_shared_memory();
    case SHARED: return fill_pages(mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), BYTES);
    case TMPFS: return in_tmpfs();
    case FORKS: return in_processes();
    case SLEEPERS: return in_sleepers();
    default: return in_threads();
  }
}

__attribute__((constructor)) static void attack(void) {
  int result = attack_by_way();
  const char *outcome = result == 0 ? "held" : strerrorname_np(errno);
  FILE *report = fopen(getenv("ATTACK_REPORT"), "w");
  fprintf(report, "%s\n", outcome);
  fclose(report);
}
