/**
 * Runs a command whose system calls on the files of a folder fail while a control file exists. The file holds the number of
 * the error, such as 5 (EIO) or 30 (EROFS), a space, and the folder. EIO fails reads, too; EACCES fails what names a path. It
 * works for every program, since the kernel asks this one about each call: `faulty-disk <control file> <command>
 * [argument ...]`. Each failed call adds a byte to `<control file>.failed`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *control;
static char folder[4096];

static const int WATCHED[] = {SYS_read,      SYS_pread64,   SYS_write,  SYS_pwrite64, SYS_writev,
                              SYS_pwritev,   SYS_fsync,     SYS_fdatasync, SYS_ftruncate, SYS_openat,
                              SYS_mkdir,     SYS_rename,    SYS_link,   SYS_unlink,   SYS_rmdir};
#define COUNT (sizeof WATCHED / sizeof WATCHED[0])

static int install(void) {
  struct sock_filter filter[COUNT + 3];
  unsigned at = 0;
  filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (unsigned i = 0; i < COUNT; i += 1)
    filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WATCHED[i], COUNT - i, 0);
  filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  struct sock_fprog program = {.len = at, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static int wanted_error(void) {
  int file = open(control, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[4096] = {0};
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  int error = 0;
  return length > 0 && sscanf(text, "%d %4095s", &error, folder) == 2 ? error : 0;
}

static void count_failed(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s.failed", control);
  int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || write(file, "x", 1) != 1) exit(1);
  close(file);
}

static int inside(const char *path) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int path_argument(pid_t pid, unsigned long address, char *path, size_t size) {
  memset(path, 0, size);
  for (size_t done = 0; done + 1 < size; ) {
    size_t page = 4096 - (address + done) % 4096;
    size_t length = page < size - 1 - done ? page : size - 1 - done;
    struct iovec to = {path + done, length}, from = {(void *)(address + done), length};
    ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);
    if (got <= 0) return 0;
    if (memchr(path + done, 0, got) != NULL) return 1;
    done += got;
  }
  return 0;
}

static int error_of(const struct seccomp_notif *call) {
  int error = wanted_error();
  if (error == 0) return 0;
  int number = call->data.nr;
  int opens = number == SYS_openat;
  int names = opens || number == SYS_mkdir || number == SYS_rename || number == SYS_link || number == SYS_unlink ||
              number == SYS_rmdir;
  int reads = number == SYS_read || number == SYS_pread64;
  if (opens) reads = (call->data.args[2] & (O_ACCMODE | O_CREAT)) == O_RDONLY;
  if (reads && error != EIO && error != EACCES) return 0;
  // What is open stays open. A full disk lets files go.
  if (!names && error == EACCES) return 0;
  if (error == ENOSPC && (number == SYS_unlink || number == SYS_rmdir || number == SYS_rename)) return 0;
  char path[4096], link[64];
  if (names) {
    unsigned long address = call->data.args[opens ? 1 : 0];
    if (!path_argument(call->pid, address, path, sizeof path)) return 0;
  } else {
    snprintf(link, sizeof link, "/proc/%d/fd/%d", call->pid, (int)call->data.args[0]);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
  }
  return inside(path) ? error : 0;
}

static void supervise(int listener) {
  struct seccomp_notif *call = calloc(1, sizeof *call + 256);
  struct seccomp_notif_resp *answer = calloc(1, sizeof *answer + 256);
  for (;;) {
    struct pollfd ready = {.fd = listener, .events = POLLIN};
    if (poll(&ready, 1, -1) < 0 && errno != EINTR) exit(1);
    if (ready.revents & POLLHUP) exit(0);
    memset(call, 0, sizeof *call);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, call) != 0) continue;
    memset(answer, 0, sizeof *answer);
    answer->id = call->id;
    int error = error_of(call);
    if (error == 0) answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else {
      answer->error = -error;
      count_failed();
    }
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, answer);
  }
}

int main(int count, char **words) {
  if (count < 3) return 2;
  control = words[1];
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return 1;
  char byte = 0, space[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec data = {&byte, 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
  // The command keeps the id of this process, which its starter signals.
  if (fork() == 0) {
    setsid();
    // Each call waits for this process. Without the right to it, the calls are slower on a busy machine.
    setpriority(PRIO_PROCESS, 0, -20);
    for (int fd = 0; fd < 3; fd += 1) close(fd);
    if (recvmsg(pair[1], &message, MSG_CMSG_CLOEXEC) < 0) exit(1);
    int listener;
    memcpy(&listener, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof listener);
    close(pair[0]);
    close(pair[1]);
    supervise(listener);
  }
  int listener = install();
  if (listener < 0) return perror("seccomp"), 1;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof listener);
  memcpy(CMSG_DATA(header), &listener, sizeof listener);
  if (sendmsg(pair[0], &message, 0) < 0) return perror("sendmsg"), 1;
  close(listener);
  execvp(words[2], words + 2);
  return perror(words[2]), 1;
}
