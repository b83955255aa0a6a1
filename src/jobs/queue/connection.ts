/** What the clients of queue servers take for an address. */
import { isIP } from 'node:net'
import type { QueueAddress } from './address.ts'

/** node:tls checks the host's name against the certificate unless it is told another way. */
function tlsOptions({ tls, host }: QueueAddress) {
  if (tls === null) return null
  const { checksHost, ...options } = tls
  return {
    ...options,
    ...(isIP(host) === 0 && { servername: host }), // TLS takes no address for a name
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
    ...(user !== null && { username: user }),
    ...(password !== null && { password }),
    ...(tls && { tls }),
  }
}

/** For pg. The values of PGPASSWORD and the like are not looked at where ours are given. */
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
