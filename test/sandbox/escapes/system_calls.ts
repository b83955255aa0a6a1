/** System calls from a shell script, by perl: every Debian has it, and it calls any number. */

const numbers = {
  x64: {
    ...{ add_key: 248, keyctl: 250, syslog: 103, ptrace: 101, unshare: 272, mount: 165, umount2: 166 },
    ...{ io_uring_setup: 425, clone3: 435 },
  },
  arm64: {
    ...{ add_key: 217, keyctl: 219, syslog: 116, ptrace: 117, unshare: 97, mount: 40, umount2: 39 },
    ...{ io_uring_setup: 425, clone3: 435 },
  },
}[process.arch === 'arm64' ? 'arm64' : 'x64']

type Name = keyof typeof numbers

/** Perl hands a text on only where it lies in a variable. */
const inVariable = (arg: string | number, index: number) =>
  `${arg}`.startsWith('"') ? `(my $text${index} = ${arg})` : arg
const sys = (name: Name, ...args: (string | number)[]) =>
  `syscall(${[numbers[name], ...args.map(inVariable)].join(', ')})`
const perl = (program: string) => `perl -e '${program}'`

/** Prints REACHED unless the call was refused: not permitted, not there, no such process. */
export function call(name: Name, args: readonly (string | number)[]): string {
  const refused = '$! == 1 || $! == 3 || $! == 13 || $! == 38'
  return perl(
    `my $buffer = "\\0" x 4096; my $r = ${sys(name, ...args)}; print "REACHED\\n" unless $r < 0 && (${refused})`,
  )
}

const namespaces = { user: 0x10000000, mount: 0x20000, pid: 0x20000000, cgroup: 0x02000000 }

/** Mounts a filesystem on the folder `m` as the root of new namespaces; prints REACHED where that works. */
export function mountIn(kinds: readonly (keyof typeof namespaces)[], type: string): string {
  const flags = kinds.reduce((all, kind) => all | namespaces[kind], 0)
  const mount = sys('mount', '"none"', '"m"', `"${type}"`, 0, 0)
  const child = `mkdir "m"; print "REACHED\\n" if ${mount} == 0; exit`
  return perl(`exit if ${sys('unshare', flags)} != 0; if (fork() == 0) { ${child} } wait`)
}

/** Takes the mount off a folder as the root of new namespaces, and writes to a file in it. */
export function uncoverAndWrite(folder: string, file: string): string {
  const flags = namespaces.user | namespaces.mount
  const write = `open(my $file, ">", "${folder}/${file}") or exit; print $file "worse"; print "REACHED\\n"`
  return perl(`${sys('unshare', flags)}; ${sys('umount2', `"${folder}"`, 2)}; ${write}`)
}

/** Puts a key into the user's keyring, which any process of the user may read. */
export function addKey(name: string, payload: string): string {
  const add = sys('add_key', '"user"', `"${name}"`, `"${payload}"`, payload.length, -4)
  return perl(`my $id = ${add}; ${sys('keyctl', 5, '$id', 0x3f3f0000, 0, 0)} if $id > 0`)
}

/** Prints what the user's keyring holds under this name. */
export function readKey(name: string): string {
  const find = `my $id = ${sys('keyctl', 10, -4, '"user"', `"${name}"`, 0)}`
  return perl(
    `${find}; my $buffer = "\\0" x 64; ${sys('keyctl', 11, '$id', '$buffer', 64, 0)} if $id > 0; print $buffer`,
  )
}

export function removeKey(name: string): string {
  return perl(`my $id = ${sys('keyctl', 10, -4, '"user"', `"${name}"`, 0)}; ${sys('keyctl', 21, '$id', 0, 0, 0)}`)
}
