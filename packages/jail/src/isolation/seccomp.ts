import { endianness } from 'node:os';
import { SYSCALL_NUMBERS } from './syscall-numbers.ts';

/** System calls that no task needs. */
const DENIED = [
  // Sockets, and messages on them
  'socket socketpair connect accept accept4 bind listen setsockopt sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg',
  // Other processes
  'fork vfork execveat ptrace kcmp process_vm_readv process_vm_writev process_madvise process_mrelease',
  'pidfd_open pidfd_getfd pidfd_send_signal migrate_pages move_pages userfaultfd perf_event_open',
  // Mounts, namespaces and whole disks
  'mount umount2 pivot_root chroot unshare setns open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr',
  'statmount listmount quotactl quotactl_fd nfsservctl swapon swapoff sync syncfs sysfs',
  // Keys, programs and modules of the kernel, filters
  'add_key request_key keyctl bpf seccomp init_module delete_module finit_module kexec_load kexec_file_load uselib',
  'lsm_get_self_attr lsm_set_self_attr lsm_list_modules',
  // Clocks and settings of the machine
  'settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname reboot acct syslog vhangup _sysctl vserver',
  'personality modify_ldt iopl ioperm lookup_dcookie',
  // Devices and file handles
  'mknod mknodat name_to_handle_at open_by_handle_at',
  // Asynchronous input and output, and watches of files
  'io_setup io_destroy io_getevents io_pgetevents io_submit io_cancel io_uring_setup io_uring_enter io_uring_register',
  'inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark',
  // Memory outside of a process, since the memory watch counts what processes have mapped
  'shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl memfd_create memfd_secret',
  'mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr splice tee vmsplice',
  // Where memory lies
  'remap_file_pages mbind set_mempolicy set_mempolicy_home_node',
  // Space without data, which would fill a disk at once
  'fallocate',
]
  .flatMap((names) => names.split(' '))
  .map((name) => name as keyof typeof SYSCALL_NUMBERS);

/** The facts about an architecture for the filter. */
interface Architecture {
  /** Its position in the table of numbers */
  column: 0 | 1;
  audit: number;
  /** Numbers from here on belong to the second table of x86-64 (x32), which no program here uses */
  end: number;
}

const ARCHITECTURES: Partial<Record<string, Architecture>> = {
  x64: { column: 0, audit: 0xc000003e, end: 0x40000000 },
  arm64: { column: 1, audit: 0xc00000b7, end: 0xffffffff },
};

/** Calls from here on are newer than the table. The C library and Node.js do without a call that is reported as missing. */
const UNKNOWN = 463;

const CLONE_THREAD = 0x0001_0000;
/** CLONE_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID and _NEWNET */
const CLONE_NAMESPACES = 0x7e02_0000;
const MAP_SHARED = 0x01;
const MAP_ANONYMOUS = 0x20;
/** An open of a leased file waits for up to 45 seconds, and the parent opens a result. A notice has no limit of its own. */
const [F_SETLEASE, F_NOTIFY] = [1024, 1026];
/**
 * FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, FICLONE, and TCGETS, which asks whether a descriptor is a terminal: all that Node.js and the
 * C library need. Others reach terminals, file systems, devices, and through the channel the network of the parent.
 */
const IOCTLS = [0x541b, 0x5421, 0x5450, 0x5451, 0x40049409, 0x5401];
const [EPERM, ENOSYS] = [1, 38];

const [LOAD_WORD, JUMP_EQUAL, JUMP_NOT_LESS, JUMP_ANY_BIT, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06];
const [ALLOW, KILL_PROCESS, ERRNO] = [0x7fff0000, 0x80000000, 0x00050000];
/** Offsets in struct seccomp_data; the low halves of arguments, since both architectures are little-endian. */
const [NUMBER, AUDIT_ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT, FOURTH_ARGUMENT] = [0, 4, 16, 24, 40];

/**
 * The system call filter of a child as a program of classic BPF (seccomp(2)), for bubblewrap's `--seccomp`: threads may be
 * started and processes not, and there is no way to a socket, a mount, another process, memory outside of the process, or the
 * kernel's own programs. `execve` stays, since the filter is in force before Node.js is started by it.
 * @returns undefined for an architecture without a table here
 */
export function seccompProgram(): Buffer | undefined {
  const known = ARCHITECTURES[process.arch];
  if (!known || endianness() !== 'LE') return undefined;
  const { column, audit, end } = known;
  const denied = DENIED.flatMap((name) => SYSCALL_NUMBERS[name][column] ?? []).sort((a, b) => a - b);
  const [clone, clone3, fcntl, ioctl, mmap] = (['clone', 'clone3', 'fcntl', 'ioctl', 'mmap'] as const).map(
    (name) => SYSCALL_NUMBERS[name][column],
  ) as [number, number, number, number, number];
  return Buffer.concat([
    instruction(LOAD_WORD, AUDIT_ARCHITECTURE),
    instruction(JUMP_EQUAL, audit, 1, 0),
    instruction(RETURN, KILL_PROCESS),
    instruction(LOAD_WORD, NUMBER),
    instruction(JUMP_NOT_LESS, end, 0, 1),
    instruction(RETURN, KILL_PROCESS),
    ...denied.flatMap((number) => [instruction(JUMP_EQUAL, number, 0, 1), instruction(RETURN, ERRNO | EPERM)]),
    // It hides its flags behind a pointer. The C library uses `clone` if it is reported as missing.
    instruction(JUMP_EQUAL, clone3, 1, 0),
    instruction(JUMP_NOT_LESS, UNKNOWN, 0, 1),
    instruction(RETURN, ERRNO | ENOSYS),
    instruction(JUMP_EQUAL, clone, 0, 5),
    instruction(LOAD_WORD, FIRST_ARGUMENT),
    instruction(JUMP_ANY_BIT, CLONE_NAMESPACES, 1, 0),
    instruction(JUMP_ANY_BIT, CLONE_THREAD, 1, 0),
    instruction(RETURN, ERRNO | EPERM),
    instruction(RETURN, ALLOW),
    // Pages of a shared mapping (MAP_SHARED_VALIDATE has the same bit) without a file stay when they are no longer mapped, where nobody counts them.
    instruction(JUMP_EQUAL, mmap, 0, 5),
    instruction(LOAD_WORD, FOURTH_ARGUMENT),
    instruction(JUMP_ANY_BIT, MAP_ANONYMOUS, 0, 2),
    instruction(JUMP_ANY_BIT, MAP_SHARED, 0, 1),
    instruction(RETURN, ERRNO | EPERM),
    instruction(RETURN, ALLOW),
    instruction(JUMP_EQUAL, fcntl, 0, 5),
    instruction(LOAD_WORD, SECOND_ARGUMENT),
    instruction(JUMP_EQUAL, F_SETLEASE, 1, 0),
    instruction(JUMP_EQUAL, F_NOTIFY, 0, 1),
    instruction(RETURN, ERRNO | EPERM),
    instruction(RETURN, ALLOW),
    instruction(JUMP_EQUAL, ioctl, 1, 0),
    instruction(RETURN, ALLOW),
    instruction(LOAD_WORD, SECOND_ARGUMENT),
    ...IOCTLS.flatMap((request) => [instruction(JUMP_EQUAL, request, 0, 1), instruction(RETURN, ALLOW)]),
    instruction(RETURN, ERRNO | EPERM),
  ]);
}

/** struct sock_filter: what to do, how many instructions to skip if so and if not, and a value. */
function instruction(code: number, value: number, ifSo = 0, ifNot = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifSo, 2);
  bytes.writeUInt8(ifNot, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
