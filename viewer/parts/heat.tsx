/** Runs of a case as small bars, one a run: the higher, the more of its expectations it met; a cross: in no rate. */
import { armLabel, percent } from '../words.ts'

interface HeatRun {
  rate: number
  graded: boolean
}

const width = 7
const step = 9
const height = 16
const most = 24

interface Props {
  arm: string
  place: number
  runs: readonly HeatRun[]
}

export function Heat({ arm, place, runs }: Props) {
  const shown = runs.slice(0, most)
  const rest = runs.length - shown.length
  const paths = { track: '', bar: '', cross: '' }
  shown.forEach(({ rate, graded }, index) => {
    const x = index * step
    if (!graded) {
      paths.cross += `M${x + 1} 5l5 6m0-6l-5 6`
      return
    }
    const filled = Math.round(height * rate)
    paths.track += `M${x} 0h${width}v${height}h-${width}z`
    paths.bar += `M${x} ${height - filled}h${width}v${filled}h-${width}z`
  })
  const rates = shown.map(({ rate, graded }) => (graded ? percent(rate) : 'in no rate')).join(', ')
  return (
    <span class={`heat arm-${place}`}>
      <svg width={shown.length * step} height={height} role="img" aria-label={`${armLabel(arm)}: ${rates || 'no run'}`}>
        <path class="track" d={paths.track} />
        <path class="bar" d={paths.bar} />
        <path class="cross" d={paths.cross} />
      </svg>
      {rest > 0 && <small>+{rest}</small>}
    </span>
  )
}
