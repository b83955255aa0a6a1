/** Builds the connection options of queue clients from an address. */
import { isIP } from 'node:net'
import type { QueueAddress } from '../address.ts'

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

/** For ioredis. */
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
