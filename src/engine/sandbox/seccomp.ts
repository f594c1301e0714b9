import { endianness } from 'node:os';

/** The facts about an architecture for the filter: its audit number, and the numbers of its system calls. */
interface Architecture {
  audit: number;
  /** Numbers from here on belong to the second table of x86-64 (x32), which no program here uses */
  end: number;
  clone: number;
  fcntl: number;
  ioctl: number;
  mmap: number;
  denied: readonly number[];
}

/**
 * The same numbers on both: pidfd_send_signal, io_uring, the mount calls of 5.2, pidfd_open, pidfd_getfd, process_madvise,
 * mount_setattr, quotactl_fd, memfd_secret, process_mrelease, set_mempolicy_home_node, statmount, listmount, the module calls of 6.8.
 */
const NEWER = [
  ...[424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 434, 438, 440, 442, 443, 447, 448, 450, 457, 458, 459, 460],
  461,
];

/** Calls from here on are newer than this table. The C library and Node.js do without a call that is reported as missing. */
const UNKNOWN = 463;

/** `clone3` hides its flags behind a pointer. The C library uses `clone` if `clone3` is reported as missing. */
const CLONE3 = 435;

/**
 * System calls that no decoder needs, in the order of each table; x86-64 from asm/unistd_64.h, arm64 from asm-generic/unistd.h:
 * sockets and messages on them, other processes, mounts and namespaces, keys, kernel programs and modules, clocks, file handles,
 * devices, filters, asynchronous input and output, watches of files, flushes of whole disks, and space without data, which would fill a disk
 * at once. Memory outside of a process (System V, memfd, queues, pages in pipes) is denied
 * because the memory watch counts what processes have mapped.
 */
const ARCHITECTURES: Partial<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    end: 0x40000000,
    clone: 56,
    fcntl: 72,
    ioctl: 16,
    mmap: 9,
    denied: [
      ...[
        29, 30, 31, 41, 42, 43, 44, 45, 46, 47, 49, 50, 53, 54, 57, 58, 64, 65, 66, 67, 68, 69, 70, 71, 101, 103, 133,
      ],
      ...[
        134, 135, 139, 153, 154, 155, 156, 159, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 175,
        176,
      ],
      ...[179, 180, 206, 207, 208, 209, 210, 212, 216, 220, 227, 236, 237, 238, 240, 241, 242, 243, 244, 245, 246, 248],
      ...[
        249, 250, 253, 254, 255, 256, 259, 272, 275, 276, 278, 279, 285, 288, 294, 298, 299, 300, 301, 303, 304, 305,
        306, 307, 308, 310, 311, 312,
      ],
      ...[313, 317, 319, 320, 321, 322, 323, 333, ...NEWER],
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    end: 0xffffffff,
    clone: 220,
    fcntl: 25,
    ioctl: 29,
    mmap: 222,
    denied: [
      ...[
        0, 1, 2, 3, 4, 18, 26, 27, 28, 33, 39, 40, 41, 42, 47, 51, 58, 60, 75, 76, 77, 81, 89, 92, 97, 104, 105, 106,
        112, 116, 117, 142,
      ],
      ...[161, 162, 170, 171, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197],
      ...[198, 199, 200, 201, 202, 203, 206, 207, 208, 211, 212, 217, 218, 219, 224, 225, 234, 235, 237, 238, 239, 241],
      ...[242, 243, 262, 263, 264, 265, 266, 267, 268, 269, 270, 271, 272, 273, 277, 279, 280, 281, 282, 292, 294],
      ...NEWER,
    ],
  },
};

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
  const { audit, end, clone, fcntl, ioctl, mmap, denied } = known;
  return Buffer.concat([
    instruction(LOAD_WORD, AUDIT_ARCHITECTURE),
    instruction(JUMP_EQUAL, audit, 1, 0),
    instruction(RETURN, KILL_PROCESS),
    instruction(LOAD_WORD, NUMBER),
    instruction(JUMP_NOT_LESS, end, 0, 1),
    instruction(RETURN, KILL_PROCESS),
    ...denied.flatMap((number) => [instruction(JUMP_EQUAL, number, 0, 1), instruction(RETURN, ERRNO | EPERM)]),
    instruction(JUMP_EQUAL, CLONE3, 1, 0),
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
