/** Makes BullMQ measure locks in PostgreSQL by the server's clock: by its own, a worker whose clock is ahead would take all jobs. */

const servers = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** A statement of BullMQ with the server's time instead of its time parameter, which the statement marks with `now_ms`. */
export function useServerClock(statement: string): string {
  const given = /\$\d+(?= now_ms)/.exec(statement)?.[0]
  if (given === undefined) return statement
  const one = new RegExp(`\\${given}(?!\\d)`, 'g')
  return statement
    .split('\n')
    .map((line) => (line.startsWith('--') ? line : line.replace(one, `COALESCE(${servers}, ${given})`)))
    .join('\n')
}
