/*
 * Starts as many threads at once as it gets, at most 5,000, when it is loaded, and lets them end. It writes their number to the file $ATTACK_REPORT. A watch
 * that looks from time to time may see none of them.
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_all(void *nothing) {
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  return nothing;
}

__attribute__((constructor)) static void attack(void) {
  static pthread_t threads[5000];
  int started = 0;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
  pthread_mutex_lock(&gate);
  while (started < 5000 && pthread_create(&threads[started], &small, wait_for_all, NULL) == 0) started += 1;
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < started; i += 1) pthread_join(threads[i], NULL);
  FILE *report = fopen(getenv("ATTACK_REPORT"), "w");
  fprintf(report, "%d\n", started);
  fclose(report);
}
