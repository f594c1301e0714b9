/*
 * Attempts of native code in a decoder. The library runs them when it is loaded, in the process that loads it. It writes one line for
 * each attempt to the file $ATTACK_REPORT: the name, the expected error, and the actual one ("none" for success), separated by tabs.
 * $ATTACK_FILE is a file of the instance outside of the sandbox, $ATTACK_OUTBOX a folder that the decoder may write to, $ATTACK_PARENT the process that started the decoder.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static FILE *report;
static char outbox_path[4096];

static const char *error_name(long error) {
  return error == 0 ? "none" : strerrorname_np((int)error);
}

static void attempt(const char *name, int expected, long result) {
  long error = result == -1 ? errno : 0;
  fprintf(report, "%s\t%s\t%s\n", name, error_name(expected), error_name(error));
  fflush(report);
}

/* A new process must not run on in the decoder's code. */
static long only_parent(long pid) {
  if (pid == 0) _exit(0);
  return pid;
}

static long open_path(const char *path, int flags) {
  int file = open(path, flags | O_CLOEXEC, 0600);
  if (file != -1) close(file);
  return file;
}

static const char *in_outbox(const char *name) {
  snprintf(outbox_path, sizeof outbox_path, "%s/%s", getenv("ATTACK_OUTBOX"), name);
  return outbox_path;
}

static long map(int flags, int file) {
  void *pages = mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags, file, 0);
  return pages == MAP_FAILED ? -1 : 0;
}

/* A lease makes everybody who opens the file wait for 45 seconds (fcntl(2)). */
static long lease_result(void) {
  int file = open(in_outbox("leased"), O_RDWR | O_CREAT, 0600);
  long result = fcntl(file, F_SETLEASE, F_WRLCK);
  int error = errno;
  close(file);
  errno = error;
  return result;
}

static long watch_outbox(void) {
  int folder = open(getenv("ATTACK_OUTBOX"), O_RDONLY | O_DIRECTORY);
  long result = fcntl(folder, F_NOTIFY, DN_CREATE);
  int error = errno;
  close(folder);
  errno = error;
  return result;
}

static long reserve_space(void) {
  int file = open(in_outbox("reserved"), O_RDWR | O_CREAT, 0600);
  long result = fallocate(file, 0, 0, 1 << 20);
  int error = errno;
  close(file);
  errno = error;
  return result;
}

/* A socket answers for the network that it was made in, which is that of the parent. */
static long list_networks(void) {
  char buffer[4096];
  struct ifconf known = {.ifc_len = sizeof buffer, .ifc_buf = buffer};
  return ioctl(3, SIOCGIFCONF, &known);
}

static long ask_file_system(void) {
  int folder = open(getenv("ATTACK_OUTBOX"), O_RDONLY | O_DIRECTORY);
  int flags;
  long result = ioctl(folder, FS_IOC_GETFLAGS, &flags);
  int error = errno;
  close(folder);
  errno = error;
  return result;
}

/* Folders and files that the parent or the sandbox left open, apart from the report. */
static long find_open_file(void) {
  struct stat known, found;
  fstat(fileno(report), &known);
  for (int file = 3; file < 1024; file += 1) {
    if (fstat(file, &found) == -1 || found.st_ino == known.st_ino) continue;
    if (S_ISDIR(found.st_mode) || S_ISREG(found.st_mode) || S_ISBLK(found.st_mode)) return 0;
  }
  errno = EBADF;
  return -1;
}

static long send_descriptor(void) {
  char byte = 0;
  char control[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  int self = 2;
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof self);
  memcpy(CMSG_DATA(header), &self, sizeof self);
  return syscall(SYS_sendmsg, 3, &message, MSG_DONTWAIT);
}

#define CALL(name, expected, ...) (errno = 0, attempt(name, expected, syscall(__VA_ARGS__)))
#define DO(name, expected, action) (errno = 0, attempt(name, expected, action))

static void processes(void) {
  uint64_t clone_arguments[8] = {0, 0, 0, 0, SIGCHLD};
  int parent = getppid();
  int outside = atoi(getenv("ATTACK_PARENT"));
  uint64_t limit[2] = {1, 1}, cores = 1;
  char byte;
  struct { void *base; size_t length; } here = {&byte, 1}, there = {(void *)0x400000, 1};
#ifdef SYS_fork
  DO("fork", EPERM, only_parent(syscall(SYS_fork)));
#endif
  DO("start a process with clone", EPERM, only_parent(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)));
  DO("start a process with clone3", ENOSYS, only_parent(syscall(SYS_clone3, clone_arguments, sizeof clone_arguments)));
  DO("start a process in a user namespace", EPERM, only_parent(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)));
  CALL("start a thread in a mount namespace", EPERM, SYS_clone, CLONE_THREAD | CLONE_SIGHAND | CLONE_VM | CLONE_NEWNS, 0, 0, 0, 0);
  CALL("unshare the user namespace", EPERM, SYS_unshare, CLONE_NEWUSER);
  CALL("unshare the mount namespace", EPERM, SYS_unshare, CLONE_NEWNS);
  CALL("unshare the network namespace", EPERM, SYS_unshare, CLONE_NEWNET);
  CALL("enter a namespace", EPERM, SYS_setns, 3, 0);
  CALL("be traced", EPERM, SYS_ptrace, 0, 0, 0, 0);
  CALL("trace the first process", EPERM, SYS_ptrace, 16, 1, 0, 0);
  CALL("trace the parent", EPERM, SYS_ptrace, 16, parent, 0, 0);
  CALL("read the memory of a process", EPERM, SYS_process_vm_readv, 1, &here, 1, &there, 1, 0);
  CALL("write the memory of a process", EPERM, SYS_process_vm_writev, 1, &here, 1, &there, 1, 0);
  CALL("open a process", EPERM, SYS_pidfd_open, 1, 0);
  CALL("take a descriptor of a process", EPERM, SYS_pidfd_getfd, 3, 0, 0);
  CALL("signal an opened process", EPERM, SYS_pidfd_send_signal, 3, 0, 0, 0);
  CALL("compare processes", EPERM, SYS_kcmp, 1, getpid(), 0, 0, 0);
  CALL("advise the memory of a process", EPERM, SYS_process_madvise, 3, &here, 1, 20, 0);
  CALL("limit the parent", ESRCH, SYS_prlimit64, outside, 7, &limit, 0);
  CALL("move the parent to one core", ESRCH, SYS_sched_setaffinity, outside, sizeof cores, &cores);
  CALL("slow the parent down", ESRCH, SYS_setpriority, PRIO_PROCESS, outside, 19);
  CALL("take the disk from the parent", ESRCH, SYS_ioprio_set, 1, outside, 3 << 13);
  CALL("signal the parent", ESRCH, SYS_kill, outside, 0);
  CALL("signal every process", ESRCH, SYS_kill, -1, 0);
  CALL("signal the group of the parent", ESRCH, SYS_kill, -outside, 0);
  CALL("execute an opened file", EPERM, SYS_execveat, 3, "", 0, 0, 0x1000);
}

/* In a user namespace without that id, the kernel reports an invalid argument. */
static long become(int number, unsigned id) {
  long result = syscall(number, id);
  if (result == -1 && errno == EINVAL) errno = EPERM;
  return result;
}

static void users(void) {
  struct { uint32_t version; int pid; } header = {0x20080522, 0};
  struct { uint32_t effective, permitted, inheritable; } all[2] = {{~0u, ~0u, 0}, {~0u, ~0u, 0}};
  DO("become root", EPERM, become(SYS_setuid, 0));
  DO("become the group of root", EPERM, become(SYS_setgid, 0));
  CALL("join the group of root", EPERM, SYS_setgroups, 1, (gid_t[]){0});
  CALL("take capabilities", EPERM, SYS_capset, &header, all);
  CALL("install a filter", EPERM, SYS_seccomp, 1, 0, 0);
  CALL("change the personality", EPERM, SYS_personality, 0x0400000);
}

static void mounts(void) {
  CALL("mount a file system", EPERM, SYS_mount, "proc", "/", "proc", 0, 0);
  CALL("remount the root for writing", EPERM, SYS_mount, 0, "/", 0, 32, 0);
  CALL("unmount", EPERM, SYS_umount2, "/", 2);
  CALL("exchange the root", EPERM, SYS_pivot_root, "/", "/");
  CALL("change the root", EPERM, SYS_chroot, "/");
  CALL("open a tree of mounts", EPERM, SYS_open_tree, AT_FDCWD, "/", 1);
  CALL("move a mount", EPERM, SYS_move_mount, -1, "", AT_FDCWD, "/", 4);
  CALL("open a file system", EPERM, SYS_fsopen, "tmpfs", 0);
  CALL("configure a file system", EPERM, SYS_fsconfig, 3, 6, 0, 0, 0);
  CALL("mount an opened file system", EPERM, SYS_fsmount, 3, 0, 0);
  CALL("pick a file system", EPERM, SYS_fspick, AT_FDCWD, "/", 0);
  CALL("change the attributes of a mount", EPERM, SYS_mount_setattr, AT_FDCWD, "/", 0, 0, 0);
  CALL("make a device", EPERM, SYS_mknodat, AT_FDCWD, in_outbox("device"), S_IFCHR | 0600, 0x101);
  CALL("make a pipe with a name", EPERM, SYS_mknodat, AT_FDCWD, in_outbox("pipe"), S_IFIFO | 0600, 0);
}

static void kernel(void) {
  char data[256] = {0};
  CALL("load a program into the kernel", EPERM, SYS_bpf, 5, data, sizeof data);
  CALL("open a counter of events", EPERM, SYS_perf_event_open, data, 0, -1, -1, 0);
  CALL("make a ring of requests", EPERM, SYS_io_uring_setup, 1, data);
  CALL("enter a ring of requests", EPERM, SYS_io_uring_enter, 3, 1, 0, 0, 0, 0);
  CALL("register with a ring of requests", EPERM, SYS_io_uring_register, 3, 0, 0, 0);
  CALL("make a queue of requests", EPERM, SYS_io_setup, 1, data);
  CALL("handle faults of pages", EPERM, SYS_userfaultfd, 1);
  CALL("load a module", EPERM, SYS_init_module, data, sizeof data, "");
  CALL("load a module from a file", EPERM, SYS_finit_module, 3, "", 0);
  CALL("remove a module", EPERM, SYS_delete_module, "x", 0);
  CALL("load a kernel from files", EPERM, SYS_kexec_file_load, 3, 3, 0, 0, 0);
  CALL("restart the machine", EPERM, SYS_reboot, 0xfee1dead, 672274793, 0, 0);
  CALL("read the log of the kernel", EPERM, SYS_syslog, 3, data, sizeof data);
  CALL("record the processes", EPERM, SYS_acct, 0);
  CALL("add swap space", EPERM, SYS_swapon, in_outbox("swap"), 0);
  CALL("remove swap space", EPERM, SYS_swapoff, in_outbox("swap"));
  CALL("change quotas", EPERM, SYS_quotactl, 0, "", 0, 0);
  CALL("add a key", EPERM, SYS_add_key, "user", "x", "x", 1, -3);
  CALL("request a key", EPERM, SYS_request_key, "user", "x", 0, -3);
  CALL("control keys", EPERM, SYS_keyctl, 0, -3, 0);
  CALL("set the clock", EPERM, SYS_clock_settime, 0, data);
  CALL("set the time of day", EPERM, SYS_settimeofday, data, 0);
  CALL("adjust the clock", EPERM, SYS_adjtimex, data);
  CALL("name the machine", EPERM, SYS_sethostname, "x", 1);
  CALL("watch a file", EPERM, SYS_inotify_init1, 0);
  CALL("add a watch", EPERM, SYS_inotify_add_watch, 3, "/", 2);
  DO("be told of each file in a folder", EPERM, watch_outbox());
  DO("make readers of a result wait", EPERM, lease_result());
  DO("reserve space of the disk", EPERM, reserve_space());
  DO("ask the file system for its flags", EPERM, ask_file_system());
  CALL("flush all disks", EPERM, SYS_sync);
  CALL("flush a disk", EPERM, SYS_syncfs, fileno(report));
  CALL("watch all files", EPERM, SYS_fanotify_init, 0, 0);
  CALL("make a handle of a file", EPERM, SYS_name_to_handle_at, AT_FDCWD, "/", data, data, 0);
  CALL("open a file by its handle", EPERM, SYS_open_by_handle_at, 3, data, 0);
#ifdef SYS_iopl
  CALL("reach the ports of devices", EPERM, SYS_iopl, 3);
  CALL("reach a port of a device", EPERM, SYS_ioperm, 0, 1, 1);
  CALL("change the table of segments", EPERM, SYS_modify_ldt, 0, data, 0);
#endif
  CALL("make a call that is newer than the filter", ENOSYS, 470);
  DO("type into the terminal", EPERM, ioctl(2, 0x5412, "x"));
  DO("paste into the terminal", EPERM, ioctl(2, 0x541c, "\3"));
}

static void memory(void) {
  int zero = open("/dev/zero", O_RDWR);
  CALL("make a file in memory", EPERM, SYS_memfd_create, "x", 0);
  CALL("make a secret file in memory", EPERM, SYS_memfd_secret, 0);
  CALL("make shared memory", EPERM, SYS_shmget, 0, 4096, 0600 | 01000);
  CALL("attach shared memory", EPERM, SYS_shmat, 0, 0, 0);
  CALL("make semaphores", EPERM, SYS_semget, 0, 1, 0600 | 01000);
  CALL("make a queue of messages", EPERM, SYS_msgget, 0, 0600 | 01000);
  CALL("open a queue of messages", EPERM, SYS_mq_open, "x", O_RDWR | O_CREAT, 0600, 0);
  DO("map shared memory without a file", EPERM, map(MAP_SHARED | MAP_ANONYMOUS, -1));
  DO("map shared memory of a device", EBADF, map(MAP_SHARED, zero));
  DO("write to the folder of shared memory", ENOENT, open_path("/dev/shm/attack", O_RDWR | O_CREAT));
  DO("write to the folder of temporary files", EROFS, mkdir("/attack", 0700));
  CALL("move pages into a pipe", EPERM, SYS_vmsplice, 3, 0, 0, 0);
  CALL("move data between pipes", EPERM, SYS_tee, 3, 3, 1, 0);
  CALL("splice a file into a pipe", EPERM, SYS_splice, 3, 0, 3, 0, 1, 0);
}

static void sockets(void) {
  int pair[2];
  struct sockaddr_un address = {AF_UNIX, "attack"};
  CALL("open a socket of the internet", EPERM, SYS_socket, AF_INET, SOCK_STREAM, 0);
  CALL("open a socket of the machine", EPERM, SYS_socket, AF_UNIX, SOCK_STREAM, 0);
  CALL("open a socket of the kernel", EPERM, SYS_socket, AF_NETLINK, SOCK_RAW, 0);
  CALL("open a raw socket", EPERM, SYS_socket, AF_PACKET, SOCK_RAW, 0);
  CALL("open a socket of the hypervisor", EPERM, SYS_socket, 40, SOCK_STREAM, 0);
  CALL("open a pair of sockets", EPERM, SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, pair);
  CALL("connect the channel to another address", EPERM, SYS_connect, 3, &address, sizeof address);
  CALL("bind the channel to an address", EPERM, SYS_bind, 3, &address, sizeof address);
  CALL("listen on the channel", EPERM, SYS_listen, 3, 1);
  DO("list the networks of the machine", EPERM, list_networks());
  DO("send a descriptor to the parent", EPERM, send_descriptor());
  CALL("receive a descriptor from the parent", EPERM, SYS_recvmsg, 3, 0, MSG_DONTWAIT);
}

static void files(void) {
  DO("change the program for core dumps", ENOENT, open_path("/proc/sys/kernel/core_pattern", O_WRONLY));
  DO("drop the caches of the kernel", ENOENT, open_path("/proc/sys/vm/drop_caches", O_WRONLY));
  DO("trigger the kernel's own commands", ENOENT, open_path("/proc/sysrq-trigger", O_WRONLY));
  DO("read the environment of the first process", ENOENT, open_path("/proc/1/environ", O_RDONLY));
  DO("write its own memory as a file", ENOENT, open_path("/proc/self/mem", O_RDWR));
  DO("read the settings of devices", ENOENT, open_path("/sys/kernel", O_RDONLY));
  DO("read the passwords of the machine", ENOENT, open_path("/etc/shadow", O_RDONLY));
  DO("read a file of the instance", ENOENT, open_path(getenv("ATTACK_FILE"), O_RDONLY));
  DO("open the terminal", ENOENT, open_path("/dev/tty", O_RDWR));
  DO("open a new terminal", ENOENT, open_path("/dev/ptmx", O_RDWR));
  DO("find an open folder or file", EBADF, find_open_file());
  DO("open the memory of the machine", ENOENT, open_path("/dev/mem", O_RDONLY));
}

__attribute__((constructor)) static void attack(void) {
  report = fopen(getenv("ATTACK_REPORT"), "w");
  if (report == NULL) return;
  processes();
  users();
  mounts();
  kernel();
  memory();
  sockets();
  files();
  fclose(report);
}
