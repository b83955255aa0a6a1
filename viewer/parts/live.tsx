/** Says that a served page no longer hears of new runs. */
import { useEffect, useState } from 'preact/hooks'
import { onLost } from '../data/live.ts'

export function Live() {
  const [lost, setLost] = useState(false)
  useEffect(() => onLost(setLost), [])
  return lost ? (
    <p class="live" role="status">
      Not live: the server does not answer.
    </p>
  ) : null
}
