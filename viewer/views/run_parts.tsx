/** Beside the verdicts: transcript, outputs or the raw records of a run. */
import type { RunDetail } from '../../schemas/page.ts'
import type { Run } from '../data/model.ts'
import { Tree } from '../parts/json_tree.tsx'
import { Output } from '../parts/output.tsx'
import { Timeline } from '../parts/timeline.tsx'
import { amend, type Route } from '../route.ts'
import { visible } from '../words.ts'

const tabs = ['transcript', 'outputs', 'raw'] as const
type Tab = (typeof tabs)[number]

interface Props {
  run: Run
  /** undefined: on its way; null: the page has none. */
  detail: RunDetail | null | undefined
  route: Route
}

export function RunParts({ run, detail, route }: Props) {
  const tab = tabs.find((one) => one === route.query.tab) ?? 'transcript'
  const labels: Record<Tab, string> = {
    transcript: 'Transcript',
    outputs: `Outputs ${detail ? detail.outputs.length : ''}`,
    raw: 'Raw',
  }
  return (
    <section class="parts" aria-label="Transcript and outputs">
      <div class="tabs" role="tablist" aria-label="Parts of the run">
        {tabs.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={name === tab}
            aria-controls="part"
            onClick={() => amend(route, { tab: name, mark: undefined, file: undefined })}
          >
            {labels[name]}
          </button>
        ))}
      </div>
      <div id="part" role="tabpanel" aria-label={labels[tab]}>
        {detail === undefined ? (
          <p class="empty">Reading…</p>
        ) : detail === null ? (
          <p class="empty">
            The page does not carry this run. Its files are in{' '}
            <code>{visible(run.folder) || 'the benchmark folder'}</code>.
          </p>
        ) : (
          <Part tab={tab} detail={detail} route={route} />
        )}
      </div>
    </section>
  )
}

function Part({ tab, detail, route }: { tab: Tab; detail: RunDetail; route: Route }) {
  const { mark = '', file } = route.query
  switch (tab) {
    case 'transcript':
      return <Timeline detail={detail} mark={mark} />
    case 'outputs':
      return detail.outputs.length === 0 ? (
        <p class="empty">The run left no files behind.</p>
      ) : (
        [...detail.outputs]
          .sort((a, b) => Number(b.path === file) - Number(a.path === file))
          .map((one) => <Output key={one.path} file={one} mark={one.path === file ? mark : ''} />)
      )
    case 'raw':
      return (
        <>
          <h3>run.json</h3>
          <Tree value={detail.record} />
          <h3>grading.json</h3>
          <Tree value={detail.grading} />
        </>
      )
  }
}
