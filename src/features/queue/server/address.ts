/** Reads the address of a queue server with its login and TLS settings, and never shows its secrets. */
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { errorMessage, UserError } from '../../../base/errors/error.ts'

export interface QueueAddress {
  kind: 'redis' | 'postgres'
  /** For display: without user, password and parameters. */
  place: string
  host: string
  port: number
  /** Number of the Redis database, or name of the PostgreSQL one. */
  database: string
  /** null: the server's default user. */
  user: string | null
  password: string | null
  /** null: not encrypted. */
  tls: QueueTls | null
}

/** Options of node:tls. */
interface QueueTls {
  /** PEM texts of the trusted authorities; absent: the system's. */
  ca?: string
  rejectUnauthorized: boolean
  checksHost: boolean
}

export interface AddressRequest {
  /** From --queue; null: WHETSTONE_QUEUE. */
  url: string | null
  /** From --queue-ca; null: WHETSTONE_QUEUE_CA. */
  caFile: string | null
  /** From --queue-password-file; null: WHETSTONE_QUEUE_PASSWORD. */
  passwordFile: string | null
  env: Readonly<Record<string, string | undefined>>
}

type ServerDefaults = Pick<QueueAddress, 'kind' | 'port' | 'database'>

const kinds: Readonly<Record<string, ServerDefaults>> = {
  'redis:': { kind: 'redis', port: 6379, database: '0' },
  'rediss:': { kind: 'redis', port: 6379, database: '0' },
  'postgres:': { kind: 'postgres', port: 5432, database: 'postgres' },
  'postgresql:': { kind: 'postgres', port: 5432, database: 'postgres' },
}

/** null: no queue was requested. Throws UserError, without any secret in it, for an invalid address and for unreadable files. */
export function resolveQueueAddress(request: AddressRequest): QueueAddress | null {
  const { env } = request
  const given = request.url ?? (env.WHETSTONE_QUEUE?.trim() || null)
  if (given === null) return null
  const url = URL.canParse(given) ? new URL(given) : null
  const known = url && kinds[url.protocol]
  if (!url || !known || url.hostname === '') {
    throw new UserError(
      `--queue "${withoutLogin(given)}": not a queue address`,
      'use redis://host:6379, rediss://host:6379 or postgres://host/database',
    )
  }
  return {
    kind: known.kind,
    place: shownPlace(url),
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? known.port : Number(url.port),
    database: databaseName(url, known),
    user: decodePart(url.username, url) || env.WHETSTONE_QUEUE_USER || null,
    password: decodePart(url.password, url) || readPassword(request),
    tls: tlsSettings(url, readCa(request)),
  }
}

function databaseName(url: URL, { kind, database }: ServerDefaults): string {
  const asked = decodePart(url.pathname.slice(1), url) || database
  if (kind === 'redis' && !/^\d{1,9}$/.test(asked)) {
    throw new UserError(
      `--queue ${shownPlace(url)}: expected a database number of at least 0, got "${asked}"`,
      `use a number such as ${url.protocol}//${url.host}/0`,
    )
  }
  return asked
}

/** A part of the address with its %xx decoded. */
function decodePart(part: string, url: URL): string {
  try {
    return decodeURIComponent(part)
  } catch {
    const fix =
      'write each % in a user, password or database as %25, or put the password unchanged into a file for --queue-password-file'
    throw new UserError(`--queue ${url.protocol}//${url.host}: a % is not followed by two hexadecimal digits`, fix)
  }
}

function shownPlace({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`
}

/** Hides the text before the host, which may contain a password even in an invalid address. */
export function withoutLogin(text: string): string {
  return text.replace(/\/\/.*@/, '//***@').replace(/\?.*/, '')
}

function readPassword({ passwordFile, env }: AddressRequest): string | null {
  if (passwordFile === null) return env.WHETSTONE_QUEUE_PASSWORD || null
  const password = readSettingFile('--queue-password-file', passwordFile).replace(/\r?\n$/, '')
  if (password === '') throw new UserError(`--queue-password-file ${passwordFile}: the file is empty`)
  return password
}

function readCa({ caFile, env }: AddressRequest): string | null {
  const [name, file] = caFile === null ? ['WHETSTONE_QUEUE_CA', env.WHETSTONE_QUEUE_CA || null] : ['--queue-ca', caFile]
  if (file === null) return null
  const text = readSettingFile(name, file)
  if (/-----BEGIN CERTIFICATE-----/.test(text)) return text
  throw new UserError(`${name} ${file}: contains no certificate`, 'use a CA certificate in PEM form')
}

function readSettingFile(name: string, file: string): string {
  if (!existsSync(file)) throw new UserError(`${name} ${file}: no such file`)
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UserError(`${name} ${file}: ${errorMessage(error)}`)
  }
}

type Mode = 'disable' | 'require' | 'verify-ca' | 'verify-full' | 'no-verify'

const modes: Readonly<Record<Mode, Omit<QueueTls, 'ca'> | null>> = {
  disable: null,
  require: { rejectUnauthorized: true, checksHost: true },
  'verify-ca': { rejectUnauthorized: true, checksHost: false },
  'verify-full': { rejectUnauthorized: true, checksHost: true },
  'no-verify': { rejectUnauthorized: false, checksHost: false },
}

/** Encryption always checks the certificate, except with `no-verify`: otherwise anyone in between could pose as the server. */
function tlsSettings(url: URL, ca: string | null): QueueTls | null {
  const usual: Mode =
    url.protocol === 'rediss:' || (ca !== null && url.protocol !== 'redis:') ? 'verify-full' : 'disable'
  const asked = url.searchParams.get('sslmode') ?? usual
  if (!isMode(asked)) {
    throw new UserError(`--queue: sslmode=${asked} is not one of ${Object.keys(modes).join(', ')}`, 'use verify-full')
  }
  const mode = modes[asked]
  if (mode === null && (ca !== null || url.protocol === 'rediss:')) {
    const place = `${url.protocol}//${url.host}`
    throw new UserError(`--queue ${place}: a CA certificate without encryption`, 'use rediss:// or sslmode=verify-full')
  }
  return mode === null ? null : { ...mode, ...(ca !== null && { ca }) }
}

function isMode(text: string): text is Mode {
  return Object.hasOwn(modes, text)
}

/** node:tls checks the host's name against the certificate by default. */
function tlsOptions({ tls, host }: QueueAddress) {
  if (tls === null) return null
  const { checksHost, ...options } = tls
  return {
    ...options,
    ...(isIP(host) === 0 && { servername: host }), // TLS accepts no IP address as a name
    ...(!checksHost && { checkServerIdentity: () => undefined }),
  }
}

export function redisConnection(address: QueueAddress) {
  const { host, port, database, user, password } = address
  const tls = tlsOptions(address)
  return {
    host,
    port,
    db: Number(database),
    family: 0, // IPv4 or IPv6: ioredis 5 does not try both by default
    ...(user !== null && { username: user }),
    ...(password !== null && { password }),
    ...(tls && { tls }),
  }
}

/** For pg. Values given here override PGPASSWORD and similar variables. */
export function postgresConnection(address: QueueAddress) {
  const { host, port, database, user, password } = address
  return {
    host,
    port,
    database,
    ...(user !== null && { user }),
    ...(password !== null && { password }),
    ssl: tlsOptions(address) ?? false,
  }
}
