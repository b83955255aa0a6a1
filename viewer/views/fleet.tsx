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
          These numbers are out of date: <bdi>{problem}</bdi>
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
  return perMinute === null ? 'speed not known yet' : `${perMinute.toFixed(perMinute < 10 ? 1 : 0)} runs per minute`
}

function Workers({ workers }: { workers: Fleet['workers'] }) {
  if (workers.length === 0)
    return (
      <p class="empty">
        No worker is running. Start one on any machine: <code>whetstone queue work</code>
      </p>
    )
  return (
    <section aria-labelledby="workers">
      <h2 id="workers">Workers</h2>
      <ListTable
        columns={[
          'worker',
          'engines and tags',
          'busy',
          'finished',
          'not finished',
          'rate-limited',
          'runs per minute',
          'last seen',
        ]}
        words={['worker', 'engines and tags']}
        kind="stacks"
      >
        {workers.map((one) => (
          <tr key={one.worker}>
            <th scope="row" class="left">
              <bdi>{one.worker}</bdi> <small>{one.version}</small>
            </th>
            <td class="left wrap" data-column="engines and tags">
              <bdi>{one.offers.join(', ')}</bdi>
            </td>
            <td data-column="busy">{`${one.busy} of ${one.places}`}</td>
            <td data-column="finished">{one.done}</td>
            <td data-column="not finished">{one.failed}</td>
            <td data-column="rate-limited">{one.refusals}</td>
            <td data-column="runs per minute">{one.per_minute === null ? '–' : one.per_minute.toFixed(1)}</td>
            <td data-column="last seen" class={one.silent_ms > silentMs ? 'worse' : ''}>
              {`${Math.round(one.silent_ms / 1000)} s ago`}
            </td>
          </tr>
        ))}
      </ListTable>
      <p class="hint">
        Busy: jobs that run, of the jobs that can run at once. Rate-limited: requests refused by the model's provider.
      </p>
    </section>
  )
}

function Queues({ queues }: { queues: Fleet['queues'] }) {
  if (queues.length === 0)
    return (
      <p class="empty">
        No queue yet: <code>whetstone bench --queue</code> creates one.
      </p>
    )
  return (
    <section aria-labelledby="queues">
      <h2 id="queues">Queues</h2>
      <ListTable
        columns={['queue', 'needs', 'waiting', 'running', 'failed', 'most at once']}
        words={['queue', 'needs']}
        kind="stacks"
      >
        {queues.map((one) => (
          <tr key={one.queue}>
            <th scope="row" class="left">
              <bdi>{one.queue}</bdi> {one.drained && <em class="tag">drained: workers take no new jobs</em>}{' '}
              {one.untaken && <em class="tag warn">no worker can take its jobs</em>}
            </th>
            <td class="left wrap" data-column="needs">
              <bdi>{one.needs.join(', ')}</bdi>
            </td>
            <td data-column="waiting">{one.waiting}</td>
            <td data-column="running">{one.active}</td>
            <td data-column="failed">{one.failed}</td>
            <td data-column="most at once">{one.limit ?? 'no limit'}</td>
          </tr>
        ))}
      </ListTable>
    </section>
  )
}
