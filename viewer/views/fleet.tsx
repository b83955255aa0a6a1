/** The fleet view: a queue's workers, waiting jobs and speed; it asks every two seconds. */
import { useEffect, useState } from 'preact/hooks'
import type { Fleet } from '../../schemas/fleet.ts'
import { isServed } from '../data/review/send_or_save.ts'
import { displayPlural } from '../format.ts'
import { ListTable } from '../parts/layout/data_table.tsx'

const pauseMs = 2000
/** A worker reports about every five seconds. */
const silentMs = 30_000

export function hasFleet(): boolean {
  return isServed && document.documentElement.dataset.fleet === 'yes'
}

export function FleetView() {
  const [{ fleet, lost }, setSeen] = useState<{ fleet: Fleet | null; lost: boolean }>({ fleet: null, lost: false })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const ask = async () => {
      const found = await askFleet()
      if (isOver) return
      setSeen((before) => ({ fleet: found ?? before.fleet, lost: found === null }))
      timer = setTimeout(ask, pauseMs)
    }
    void ask()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [])
  if (fleet === null) return <p class="empty">{lost ? 'The server does not answer.' : 'Asking the queue …'}</p>
  const problem = lost ? 'The server does not answer.' : fleet.problem
  return (
    <>
      <header class="lead">
        <h1>
          {displayPlural(fleet.workers.length, 'worker')}, {rate(fleet.per_minute)}
        </h1>
        <p>
          <bdi>{fleet.place}</bdi>, as of {new Date(fleet.at).toLocaleTimeString()}
        </p>
      </header>
      {problem !== null && (
        <p class="banner" role="status">
          Not of now: <bdi>{problem}</bdi>
        </p>
      )}
      <Workers workers={fleet.workers} />
      <Queues queues={fleet.queues} />
    </>
  )
}

async function askFleet(): Promise<Fleet | null> {
  try {
    const answer = await fetch('fleet.json', { cache: 'no-store' })
    return answer.ok ? await answer.json() : null
  } catch {
    return null
  }
}

function rate(perMinute: number | null): string {
  return perMinute === null ? 'rate not known yet' : `${perMinute.toFixed(perMinute < 10 ? 1 : 0)} runs a minute`
}

function Workers({ workers }: { workers: Fleet['workers'] }) {
  if (workers.length === 0)
    return <p class="empty">No worker is running. Start one with `whetstone queue work` on any machine.</p>
  return (
    <section aria-labelledby="workers">
      <h2 id="workers">Workers</h2>
      <ListTable
        columns={['worker', 'offers', 'busy', 'made', 'left', '429', 'a minute', 'heard']}
        words={['worker', 'offers']}
      >
        {workers.map((one) => (
          <tr key={one.worker}>
            <th scope="row" class="left">
              <bdi>{one.worker}</bdi> <small>{one.version}</small>
            </th>
            <td class="left wrap">
              <bdi>{one.offers.join(', ')}</bdi>
            </td>
            <td>
              {one.busy} of {one.places}
            </td>
            <td>{one.done}</td>
            <td>{one.failed}</td>
            <td>{one.refusals}</td>
            <td>{one.per_minute === null ? '–' : one.per_minute.toFixed(1)}</td>
            <td>
              {one.silent_ms > silentMs ? 'silent for ' : ''}
              {Math.round(one.silent_ms / 1000)} s{one.silent_ms > silentMs ? '' : ' ago'}
            </td>
          </tr>
        ))}
      </ListTable>
    </section>
  )
}

function Queues({ queues }: { queues: Fleet['queues'] }) {
  if (queues.length === 0) return <p class="empty">No queue yet: a benchmark with --queue makes one.</p>
  return (
    <section aria-labelledby="queues">
      <h2 id="queues">Queues</h2>
      <ListTable columns={['queue', 'needs', 'waiting', 'in flight', 'failed', 'at once']} words={['queue', 'needs']}>
        {queues.map((one) => (
          <tr key={one.queue}>
            <th scope="row" class="left">
              <bdi>{one.queue}</bdi> {one.drained && <small>drained</small>} {one.untaken && <small>no worker</small>}
            </th>
            <td class="left wrap">
              <bdi>{one.needs.join(', ')}</bdi>
            </td>
            <td>{one.waiting}</td>
            <td>{one.active}</td>
            <td>{one.failed}</td>
            <td>{one.limit ?? 'no limit'}</td>
          </tr>
        ))}
      </ListTable>
    </section>
  )
}
