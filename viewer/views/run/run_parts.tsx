/** The parts next to the verdicts: transcript, outputs and raw records of a run. */
import type { TargetedKeyboardEvent } from 'preact'
import { useRef } from 'preact/hooks'
import type { PageFile, RunDetail } from '../../../schemas/page.ts'
import type { Model, Run } from '../../data/model.ts'
import { parseSpan } from '../../data/quotes/quote_places.ts'
import { bytesText, revealHidden } from '../../format.ts'
import { JsonValueTree } from '../../parts/content/json_tree.tsx'
import { Output } from '../../parts/content/output.tsx'
import { Timeline } from '../../parts/content/timeline.tsx'
import { DialogueTab } from '../../parts/run/dialogue.tsx'
import { hasPreviousRun, PreviousRun } from '../../parts/run/previous_run.tsx'
import { amendRoute, type Route, routeLink } from '../../route.ts'

/** Removes the mark from the query. */
const unmarkedQuery = { mark: undefined, event: undefined, at: undefined }

const tabs = ['conversation', 'transcript', 'outputs', 'inputs', 'previous', 'raw'] as const
type Tab = (typeof tabs)[number]

interface Props {
  model: Model
  run: Run
  /** undefined: still loading; null: the page has none. */
  detail: RunDetail | null | undefined
  route: Route
}

export function RunParts({ model, run, detail, route }: Props) {
  const inputs = run.case.files
  const talk = detail?.conversation
  const has: Partial<Record<Tab, boolean>> = {
    conversation: talk !== undefined,
    inputs: inputs.length > 0,
    previous: hasPreviousRun(model, run),
  }
  const own = tabs.filter((one) => has[one] ?? true)
  const tab = own.find((one) => one === route.query.tab) ?? own[0] ?? 'transcript'
  const labels: Record<Tab, string> = {
    conversation: `Conversation ${talk?.turns.length ?? ''}`,
    transcript: 'Transcript',
    outputs: `Outputs ${detail ? detail.outputs.length : ''}`,
    inputs: `Inputs ${inputs.length}`,
    previous: 'Previous',
    raw: 'Raw',
  }
  return (
    <section class="parts" aria-label="Transcript and outputs">
      <Tabs
        names={own}
        labels={labels}
        open={tab}
        choose={(name) => amendRoute(route, { ...unmarkedQuery, tab: name, file: undefined })}
      />
      <div id="part" role="tabpanel" aria-label={labels[tab]}>
        {detail === undefined ? (
          <p class="empty">Reading…</p>
        ) : detail === null ? (
          <p class="empty">
            The page does not carry this run. Its files are in{' '}
            <code>{revealHidden(run.folder) || 'the benchmark folder'}</code>.
          </p>
        ) : (
          <Part model={model} run={run} tab={tab} detail={detail} route={route} />
        )}
      </div>
    </section>
  )
}

interface TabsProps {
  names: readonly Tab[]
  labels: Record<Tab, string>
  open: Tab
  choose(name: Tab): void
}

/** Tab stops here once; the arrows move between the tabs. */
function Tabs({ names, labels, open, choose }: TabsProps) {
  const box = useRef<HTMLDivElement>(null)
  const pressed = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const next = (names.indexOf(open) + step + names.length) % names.length
    const name = names[next]
    if (step === 0 || name === undefined) return
    event.preventDefault()
    choose(name)
    box.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label="Parts of the run" ref={box} onKeyDown={pressed}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          tabIndex={name === open ? 0 : -1}
          aria-selected={name === open}
          aria-controls="part"
          onClick={() => choose(name)}
        >
          {labels[name]}
        </button>
      ))}
    </div>
  )
}

interface PartProps {
  model: Model
  run: Run
  tab: Tab
  detail: RunDetail
  route: Route
}

function Part({ model, run, tab, detail, route }: PartProps) {
  const { mark = '', event } = route.query
  const span = parseSpan(route.query.at)
  switch (tab) {
    case 'conversation':
      return detail.conversation === undefined ? null : <DialogueTab conversation={detail.conversation} />
    case 'transcript':
      return <Timeline detail={detail} mark={mark} event={event === undefined ? null : Number(event)} span={span} />
    case 'outputs':
      return detail.outputs.length === 0 ? (
        <p class="empty">{detail.removed ?? 'The run left no files behind.'}</p>
      ) : (
        <Files tab={tab} files={detail.outputs} folder={run.folder} route={route} />
      )
    case 'inputs':
      return <Files tab={tab} files={run.case.files} folder="" route={route} />
    case 'previous':
      return <PreviousRun model={model} run={run} detail={detail} />
    case 'raw':
      return (
        <>
          <h3>run.json</h3>
          <JsonValueTree value={detail.record} />
          <h3>grading.json</h3>
          <JsonValueTree value={detail.grading} />
        </>
      )
  }
}

interface FilesProps {
  tab: Tab
  files: readonly PageFile[]
  route: Route
}

/** Shows each file, with the mark in the one that the address names. */
function Files({ folder, ...shown }: FilesProps & { folder: string }) {
  const { mark = '', file, at: place } = shown.route.query
  const span = parseSpan(place)
  return (
    <>
      <FileList {...shown} />
      {shown.files.map((one) => (
        <Output
          key={one.path}
          file={one}
          folder={folder}
          target={one.path === file}
          mark={one.path === file ? mark : ''}
          span={one.path === file ? span : null}
        />
      ))}
    </>
  )
}

/** Every file with its size and a link. */
function FileList({ tab, files, route }: FilesProps) {
  if (files.length < 2) return null
  return (
    <nav aria-label="Files">
      <ul class="files">
        {files.map(({ path, bytes }) => (
          <li key={path}>
            <a
              href={routeLink(route.path, { tab, file: path })}
              onClick={(event) => {
                event.preventDefault()
                amendRoute(route, { ...unmarkedQuery, file: path })
                document.getElementById(`file-${path}`)?.scrollIntoView({ block: 'start' })
              }}
            >
              <bdi>{revealHidden(path)}</bdi>
            </a>{' '}
            <small>{bytesText(bytes)}</small>
          </li>
        ))}
      </ul>
    </nav>
  )
}
