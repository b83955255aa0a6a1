/** Draws the runs of a case as small bars: the height is the rate, a cross an excluded run, a line above undecided expectations. */
import { displayArm, displayPercent } from '../../format.ts'

interface HeatRun {
  rate: number
  graded: boolean
  undecided: number
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
  const paths = { track: '', level: '', cross: '', open: '' }
  shown.forEach(({ rate, graded, undecided }, index) => {
    const x = index * step
    if (!graded) {
      paths.cross += `M${x + 1} 5l5 6m0-6l-5 6`
      return
    }
    if (undecided > 0) paths.open += `M${x} 1.5h${width}`
    const filled = Math.round(height * rate)
    paths.track += `M${x} 0h${width}v${height}h-${width}z`
    paths.level += `M${x} ${height - filled}h${width}v${filled}h-${width}z`
  })
  const rates = shown.map(heatWords).join(', ')
  return (
    <span class={`heat arm-${place}`}>
      <svg
        width={shown.length * step}
        height={height}
        role="img"
        aria-label={`${displayArm(arm)}: ${rates || 'no run'}`}
      >
        <path class="track" d={paths.track} />
        <path class="level" d={paths.level} />
        <path class="open" d={paths.open} />
        <path class="cross" d={paths.cross} />
      </svg>
      {rest > 0 && <small>+{rest}</small>}
    </span>
  )
}

function heatWords({ rate, graded, undecided }: HeatRun): string {
  if (!graded) return 'excluded'
  return undecided > 0 ? `${displayPercent(rate)}, ${undecided} undecided` : displayPercent(rate)
}
