import { endianness } from 'node:os';

/** The facts about an architecture for the filter: its audit number, and the numbers of its system calls. */
interface Architecture {
  audit: number;
  /** Numbers from here on belong to the second table of x86-64 (x32), which no program here uses */
  end: number;
  clone: number;
  ioctl: number;
  denied: readonly number[];
}

/** The same numbers on both: pidfd_send_signal, io_uring, the mount calls of 5.2, pidfd_open, pidfd_getfd, mount_setattr. */
const NEWER = [424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 434, 438, 442];

/** `clone3` hides its flags behind a pointer. The C library uses `clone` if `clone3` is reported as missing. */
const CLONE3 = 435;

/**
 * System calls that no decoder needs: sockets, other processes, mounts and namespaces, keys, kernel programs and modules, clocks,
 * file handles. In the order of each table; x86-64 from asm/unistd_64.h, arm64 from asm-generic/unistd.h.
 */
const ARCHITECTURES: Partial<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    end: 0x40000000,
    clone: 56,
    ioctl: 16,
    denied: [
      ...[41, 42, 43, 49, 50, 53, 57, 58, 101, 103, 135, 153, 154, 155, 159, 161, 163, 164, 165, 166, 167, 168, 169],
      ...[170, 171, 172, 173, 175, 176, 179, 227, 246, 248, 249, 250, 256, 272, 279, 288, 298, 300, 303, 304, 305],
      ...[308, 310, 311, 312, 313, 320, 321, 322, 323, ...NEWER],
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    end: 0xffffffff,
    clone: 220,
    ioctl: 29,
    denied: [
      ...[39, 40, 41, 51, 58, 60, 89, 92, 97, 104, 105, 106, 112, 116, 117, 142, 161, 162, 170, 171, 198, 199, 200],
      ...[201, 202, 203, 217, 218, 219, 224, 225, 238, 239, 241, 242, 262, 264, 265, 266, 268, 270, 271, 272, 273],
      ...[280, 281, 282, 294, ...NEWER],
    ],
  },
};

const CLONE_THREAD = 0x0001_0000;
/** Types text into the terminal that Burnish was started from. */
const TIOCSTI = 0x5412;
const [EPERM, ENOSYS] = [1, 38];

const [LOAD_WORD, JUMP_EQUAL, JUMP_NOT_LESS, JUMP_ANY_BIT, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06];
const [ALLOW, KILL_PROCESS, ERRNO] = [0x7fff0000, 0x80000000, 0x00050000];
/** Offsets in struct seccomp_data; the low halves of arguments, since both architectures are little-endian. */
const [NUMBER, AUDIT_ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT] = [0, 4, 16, 24];

/**
 * The system call filter of a child as a program of classic BPF (seccomp(2)), for bubblewrap's `--seccomp`: threads may be
 * started and processes not, and there is no way to a socket, a mount, another process or the kernel's own programs.
 * `execve` stays, since the filter is in force before Node.js is started by it.
 * @returns undefined for an architecture without a table here
 */
export function seccompProgram(architecture: string = process.arch): Buffer | undefined {
  const known = ARCHITECTURES[architecture];
  if (!known || endianness() !== 'LE') return undefined;
  const { audit, end, clone, ioctl, denied } = known;
  return Buffer.concat([
    instruction(LOAD_WORD, AUDIT_ARCHITECTURE),
    instruction(JUMP_EQUAL, audit, 1, 0),
    instruction(RETURN, KILL_PROCESS),
    instruction(LOAD_WORD, NUMBER),
    instruction(JUMP_NOT_LESS, end, 0, 1),
    instruction(RETURN, KILL_PROCESS),
    ...denied.flatMap((number) => [instruction(JUMP_EQUAL, number, 0, 1), instruction(RETURN, ERRNO | EPERM)]),
    instruction(JUMP_EQUAL, CLONE3, 0, 1),
    instruction(RETURN, ERRNO | ENOSYS),
    // A new process is a clone that is not a thread.
    instruction(JUMP_EQUAL, clone, 0, 4),
    instruction(LOAD_WORD, FIRST_ARGUMENT),
    instruction(JUMP_ANY_BIT, CLONE_THREAD, 1, 0),
    instruction(RETURN, ERRNO | EPERM),
    instruction(RETURN, ALLOW),
    instruction(JUMP_EQUAL, ioctl, 0, 3),
    instruction(LOAD_WORD, SECOND_ARGUMENT),
    instruction(JUMP_EQUAL, TIOCSTI, 0, 1),
    instruction(RETURN, ERRNO | EPERM),
    instruction(RETURN, ALLOW),
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
