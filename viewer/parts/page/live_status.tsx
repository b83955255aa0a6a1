/** Says that a served page gets no updates, because the server does not answer. */
import { useEffect, useState } from 'preact/hooks'
import { onLost } from '../../data/live_updates.ts'

export function LiveStatus() {
  const [lost, setLost] = useState(false)
  useEffect(() => onLost(setLost), [])
  return lost ? (
    <p class="live" role="status">
      Not live: the server does not answer.
    </p>
  ) : null
}
