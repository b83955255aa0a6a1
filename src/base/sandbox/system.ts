/** The parts of this machine that every sandbox shows: the system's programs and libraries, and a few files of /etc. */
import { lstat, readlink, realpath } from 'node:fs/promises'
import path from 'node:path'
import { isSubpath } from '../fs/inside_folder.ts'
import type { SystemPart } from './bubblewrap.ts'

const folders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store']

/**
 * Entries of /etc without secrets or keys of accounts: certificates, names, the loader, time. Not those of shells, sessions and git, where
 * machines keep the login of a proxy, nor all of pki, which has private keys.
 */
const settings = [
  'alternatives,ca-certificates,ca-certificates.conf,crypto-policies,debian_version,fonts',
  'group,hosts,inputrc,java-17-openjdk,java-21-openjdk,ld.so.cache,ld.so.conf,ld.so.conf.d,localtime,locale.alias',
  'login.defs,magic,mime.types,nsswitch.conf,os-release,passwd,perl,protocols,python3',
  'pki/ca-trust,pki/java,pki/tls/cert.pem,pki/tls/certs,pki/tls/openssl.cnf',
  'resolv.conf,services,ssl/certs,ssl/openssl.cnf,terminfo,timezone',
]

const settingFiles = settings.flatMap((line) => line.split(',')).map((name) => `/etc/${name}`)

let cachedSystemParts: Promise<SystemPart[]> | null = null

/** The system's parts on this machine. Read once per process. */
export function listSystemParts(): Promise<SystemPart[]> {
  cachedSystemParts ??= findSystemParts()
  return cachedSystemParts
}

async function findSystemParts(): Promise<SystemPart[]> {
  const parts = await Promise.all([...folders, ...settingFiles].map(readSystemPart))
  return parts.filter((part) => part !== null)
}

/** A link at the top (/bin) stays a link; a link in /etc becomes its target (resolv.conf leads into /run). */
async function readSystemPart(place: string): Promise<SystemPart | null> {
  const info = await lstat(place).catch(() => null)
  if (info === null) return null
  if (info.isSymbolicLink() && !place.startsWith('/etc/')) {
    return { kind: 'link', path: place, to: await readlink(place) }
  }
  const real = await realpath(place).catch(() => null)
  return real === null ? null : { kind: info.isDirectory() ? 'folder' : 'file', path: place }
}

/** Whether a path is inside the parts that every sandbox shows. */
export function isSystemPath(place: string): boolean {
  return folders.some((folder) => isSubpath(place, folder))
}

/** Folders of the system that hold only other folders: what else they hold belongs to a user. */
const containers = ['/usr', '/usr/src', '/usr/local', '/usr/local/src', '/nix/store', '/gnu/store']

/** Folders of the system with parts of many programs: only a project in them belongs to a user. */
const ofPrograms = /^\/(?:usr\/(?:local\/)?)?(?:bin|sbin|lib|lib32|lib64|libx32|libexec|share|include|games)(?=\/|$)/

/** The folder of a user in a folder of the system that an absolute path leads into: of a project, or a home. null: none. */
export function findUserFolder(place: string, isProject: (folder: string) => boolean): string | null {
  if (!isSystemPath(place)) return null
  const [shared] = ofPrograms.exec(place) ?? []
  if (shared !== undefined) return listBelow(place, shared).find(isProject) ?? null
  const container = containers.findLast((folder) => isSubpath(place, folder))
  return container === undefined ? null : (listBelow(place, container)[0] ?? null)
}

/** The folders from below `top` down to the place. */
function listBelow(place: string, top: string): string[] {
  const names = path.relative(top, place).split(path.sep).filter(Boolean)
  return names.map((_, index) => path.join(top, ...names.slice(0, index + 1)))
}

/** The part of the system that an empty folder at this absolute path would replace, be inside of or cover; null: none. */
export function findSystemPart(place: string): string | null {
  const whole = path.resolve(place)
  const parts = [...folders, ...settingFiles, '/proc', '/sys', '/dev']
  return parts.find((part) => isSubpath(whole, part) || isSubpath(part, whole)) ?? null
}
