/** What of this machine every sandbox shows: the system's programs and libraries, and few files of /etc. */
import { lstat, readlink, realpath } from 'node:fs/promises'
import { isBelow } from './below.ts'
import type { SystemPart } from './bubblewrap.ts'

const folders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store']

/** Nothing of /etc that names accounts' secrets, keys or hosts: certificates, names, the loader, time. */
const settings = [
  'alternatives,bash.bashrc,ca-certificates,ca-certificates.conf,crypto-policies,debian_version,environment.d,fonts',
  'group,gitconfig,hosts,inputrc,java-17-openjdk,java-21-openjdk,ld.so.cache,ld.so.conf,ld.so.conf.d,localtime,locale.alias',
  'login.defs,magic,mime.types,nsswitch.conf,os-release,passwd,perl,pki,profile,profile.d,protocols,python3',
  'resolv.conf,services,ssl/certs,ssl/openssl.cnf,terminfo,timezone',
]

let known: Promise<SystemPart[]> | null = null

/** The system's parts that are there; looked at once per process. */
export function systemParts(): Promise<SystemPart[]> {
  known ??= lookAtSystem()
  return known
}

async function lookAtSystem(): Promise<SystemPart[]> {
  const names = settings.flatMap((line) => line.split(',')).map((name) => `/etc/${name}`)
  const parts = await Promise.all([...folders, ...names].map(partAt))
  return parts.filter((part) => part !== null)
}

/** A link at the top (/bin) stays one; a link in /etc becomes what it leads to (resolv.conf leads into /run). */
async function partAt(place: string): Promise<SystemPart | null> {
  const info = await lstat(place).catch(() => null)
  if (info === null) return null
  if (info.isSymbolicLink() && !place.startsWith('/etc/')) {
    return { kind: 'link', path: place, to: await readlink(place) }
  }
  const real = await realpath(place).catch(() => null)
  return real === null ? null : { kind: info.isDirectory() ? 'folder' : 'file', path: place }
}

/** Whether a path lies in what every sandbox shows. */
export function isSystem(place: string): boolean {
  return folders.some((folder) => isBelow(place, folder))
}
