/** Locks in PostgreSQL by the server's clock: BullMQ measures them by that of each machine, and a worker whose clock is ahead would take all jobs for lost. */

const servers = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** A statement of BullMQ with the server's time in place of the one it is given; they say which of their parameters that is. */
export function byServerClock(statement: string): string {
  const given = /\$\d+(?= now_ms)/.exec(statement)?.[0]
  if (given === undefined) return statement
  const one = new RegExp(`\\${given}(?!\\d)`, 'g')
  return statement
    .split('\n')
    .map((line) => (line.startsWith('--') ? line : line.replace(one, `COALESCE(${servers}, ${given})`)))
    .join('\n')
}
