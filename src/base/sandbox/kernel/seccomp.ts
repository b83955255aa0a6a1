/** System call filter of a sandbox, against calls that reach past namespaces and mounts: a classic BPF program for `bwrap --seccomp`. */
import { constants } from 'node:os'

/** Numbers from the kernel's syscall tables; `audit`: AUDIT_ARCH_… of linux/audit.h. */
interface Architecture {
  audit: number
  /** Calls from this number on belong to another ABI (x32); null: none. */
  foreignFrom: number | null
  calls: Readonly<Record<'add_key' | 'request_key' | 'keyctl' | 'syslog' | 'socket' | 'clone' | 'unshare', number>>
}

/** clone3 and io_uring_* have the same numbers on both. */
const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    foreignFrom: 0x40000000,
    calls: { add_key: 248, request_key: 249, keyctl: 250, syslog: 103, socket: 41, clone: 56, unshare: 272 },
  },
  arm64: {
    audit: 0xc00000b7,
    foreignFrom: null,
    calls: { add_key: 217, request_key: 218, keyctl: 219, syslog: 116, socket: 198, clone: 220, unshare: 97 },
  },
}
const clone3 = 435
const ioUring = [425, 426, 427]

/** unix, inet, inet6, netlink: each belongs to a network namespace. vsock, bluetooth and kernel crypto do not. */
const socketFamilies = [1, 2, 10, 16]
const newCgroupNamespace = 0x02000000

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, operand: number]

// codes of linux/bpf_common.h; a jump counts the instructions to skip
const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const skipUnlessEqual = (value: number, skip: number): Instruction => [0x15, 0, skip, value]
const skipIfEqual = (value: number, skip: number): Instruction => [0x15, skip, 0, value]
const skipIfBelow = (value: number, skip: number): Instruction => [0x35, 0, skip, value]
const skipUnlessAnySet = (bits: number, skip: number): Instruction => [0x45, 0, skip, bits]
const answer = (value: number): Instruction => [0x06, 0, 0, value]

const allow = answer(0x7fff0000)
const killProcess = answer(0x80000000)
const refuse = (errno: number) => answer(0x00050000 | errno)

// struct seccomp_data of linux/seccomp.h: the low half of the first argument on a little-endian machine
const callNumber = 0
const auditArch = 4
const firstArgument = 16

const { EPERM, ENOSYS, EAFNOSUPPORT } = constants.errno

function program({ audit, foreignFrom, calls }: Architecture): readonly Instruction[] {
  const refused = [calls.add_key, calls.request_key, calls.keyctl, calls.syslog]
  return [
    load(auditArch),
    skipIfEqual(audit, 1),
    killProcess,
    load(callNumber),
    ...(foreignFrom === null ? [] : [skipIfBelow(foreignFrom, 1), refuse(ENOSYS)]),
    ...refused.flatMap((call) => [skipUnlessEqual(call, 1), refuse(EPERM)]),
    // a filter can't read their arguments: programs fall back to clone and to poll
    ...[clone3, ...ioUring].flatMap((call) => [skipUnlessEqual(call, 1), refuse(ENOSYS)]),
    ...[calls.clone, calls.unshare].flatMap((call) => [
      skipUnlessEqual(call, 4),
      load(firstArgument),
      skipUnlessAnySet(newCgroupNamespace, 1),
      refuse(EPERM),
      allow,
    ]),
    skipUnlessEqual(calls.socket, socketFamilies.length + 2),
    load(firstArgument),
    ...socketFamilies.map((family, index) => skipIfEqual(family, socketFamilies.length - index)),
    refuse(EAFNOSUPPORT),
    allow,
  ]
}

/** The filter for a processor architecture as Node names it; null: not supported. */
export function seccompFilter(arch: string): Buffer | null {
  const architecture = architectures[arch]
  if (architecture === undefined) return null
  const instructions = program(architecture)
  const bytes = Buffer.alloc(8 * instructions.length) // struct sock_filter of linux/filter.h
  for (const [index, [code, jumpTrue, jumpFalse, operand]] of instructions.entries()) {
    bytes.writeUInt16LE(code, 8 * index)
    bytes.writeUInt8(jumpTrue, 8 * index + 2)
    bytes.writeUInt8(jumpFalse, 8 * index + 3)
    bytes.writeUInt32LE(operand >>> 0, 8 * index + 4)
  }
  return bytes
}
