/** Shows a transcript: messages open, tool calls folded with their results, skill reads, hook blocks and errors marked. */

import { useEffect, useRef } from 'preact/hooks'
import type { PageEvent, RunDetail } from '../../../schemas/page.ts'
import { ownEntry } from '../../data/own_property.ts'
import { asText, type CharacterSpan, eventText, quotePattern } from '../../data/quotes/quotes.ts'
import { displayCount, displaySeconds, revealHidden } from '../../format.ts'
import { Text } from './text.tsx'

interface Props {
  detail: RunDetail
  mark: string
  /** The event with the mark; null: every event that matches. */
  event: number | null
  span: CharacterSpan | null
}

export function Timeline({ detail, mark, event: asked, span }: Props) {
  const { events, transcript, cut } = detail
  if (events === null) {
    return transcript === null ? (
      <p class="empty">{detail.removed ?? 'This run has no transcript.'}</p>
    ) : (
      <Text text={transcript} mark={mark} span={span} follow />
    )
  }
  const calls = pairs(events)
  const wanted = mark === '' ? null : quotePattern(mark)
  const isKnown = asked !== null && events[asked] !== undefined
  const hits = events.map((event, index) =>
    isKnown ? index === asked : wanted !== null && new RegExp(wanted.source, 'i').test(eventText(event)),
  )
  const target = hits.lastIndexOf(true)
  const lookFor = (index: number): MarkedText =>
    !isKnown ? { mark, span: null } : index === asked ? { mark, span } : { mark: '', span: null }
  return (
    <>
      {cut !== null && <p class="hint">{cut}</p>}
      <ol class="timeline">
        {events.map((event, index) =>
          event.type === 'tool_result' && calls.answered.has(index) ? null : (
            <Entry
              key={`${index}`}
              event={event}
              message={detail.conversation?.messages[index]}
              answer={calls.answers.get(index) ?? null}
              sought={lookFor(index)}
              soughtInAnswer={lookFor(calls.places.get(index) ?? -1)}
              open={hits[index] === true || hits[calls.places.get(index) ?? -1] === true}
              target={index === target || (target >= 0 && calls.places.get(index) === target)}
            />
          ),
        )}
      </ol>
    </>
  )
}

interface Calls {
  /** The result of the call at an index, and its place. */
  answers: Map<number, PageEvent>
  places: Map<number, number>
  answered: Set<number>
}

function pairs(events: readonly PageEvent[]): Calls {
  const open = new Map<unknown, number>()
  const found: Calls = { answers: new Map(), places: new Map(), answered: new Set() }
  events.forEach((event, index) => {
    if (event.type === 'tool_call') open.set(event.id, index)
    const call = event.type === 'tool_result' ? open.get(event.id) : undefined
    if (call === undefined) return
    open.delete(event.id)
    found.answers.set(call, event)
    found.places.set(call, index)
    found.answered.add(index)
  })
  return found
}

/** What to mark in a text. */
interface MarkedText {
  mark: string
  span: CharacterSpan | null
}

interface EntryProps {
  event: PageEvent
  /** Number of the user's message that it is. */
  message: number | undefined
  answer: PageEvent | null
  sought: MarkedText
  soughtInAnswer: MarkedText
  open: boolean
  target: boolean
}

function Entry({ event, message, answer, sought, soughtInAnswer, open, target }: EntryProps) {
  const box = useRef<HTMLLIElement>(null)
  const mark = sought.mark || soughtInAnswer.mark
  const start = (sought.span ?? soughtInAnswer.span)?.start
  useEffect(() => {
    if (!target || mark === '') return
    const hit = box.current?.querySelector('mark') ?? box.current
    hit?.scrollIntoView({ block: 'center' })
  }, [target, mark, start])
  const failed = event.type === 'error' || event.is_error === true || answer?.is_error === true
  const kind = message === undefined ? (ownEntry(labels, event.type) ?? event.type) : `message ${message}`
  const blocked = event.type === 'hook' && event.outcome === 'blocked'
  return (
    <li
      ref={box}
      class={`event ${knownTypes.has(event.type) ? event.type : 'system'} ${failed || blocked ? 'bad' : ''}`}
    >
      {foldedTypes.has(event.type) ? (
        <details open={open}>
          <summary>
            <span class="kind">{revealHidden(kind)}</span> <Gist event={event} answer={answer} />
          </summary>
          <Body event={event} answer={answer} sought={sought} soughtInAnswer={soughtInAnswer} />
        </details>
      ) : (
        <>
          <p class="kind">
            {revealHidden(kind)} {event.step !== undefined && event.step > 0 && <small>step {event.step}</small>}
          </p>
          <Text text={eventText(event) || brief(event)} {...sought} code={false} />
        </>
      )}
    </li>
  )
}

function Body({
  event,
  answer,
  sought,
  soughtInAnswer,
}: Pick<EntryProps, 'event' | 'answer' | 'sought' | 'soughtInAnswer'>) {
  const text = eventText(event)
  return (
    <>
      <Text text={text === '' ? asText(event) : text} {...sought} />
      {answer !== null && (
        <>
          <p class="kind">{answer.is_error === true ? 'came back as an error' : 'came back'}</p>
          <Text text={asText(answer.output ?? '') || '(nothing)'} {...soughtInAnswer} />
        </>
      )}
    </>
  )
}

/** The summary line of a folded event: name, start of the input, duration, size. */
function Gist({ event, answer }: Pick<EntryProps, 'event' | 'answer'>) {
  const name = event.name ?? event.subtype ?? event.event ?? event.skill ?? ''
  const took = callDuration(event, answer)
  const size = answer === null ? 0 : asText(answer.output ?? '').length
  return (
    <>
      <b>{revealHidden(asText(name))}</b>{' '}
      <span class="gist">
        {revealHidden(
          asText(event.input ?? event.text ?? '')
            .replaceAll(/\s+/g, ' ')
            .slice(0, 160),
        )}
      </span>
      <small>
        {took !== null && ` ${displaySeconds(took)}`}
        {answer !== null && ` · ${displayCount(size)} characters`}
        {event.type === 'hook' && ` · ${revealHidden(asText(event.outcome ?? ''))}`}
      </small>
    </>
  )
}

function callDuration(call: PageEvent, answer: PageEvent | null): number | null {
  if (call.at === undefined || answer?.at === undefined) return null
  const took = (Date.parse(answer.at) - Date.parse(call.at)) / 1000
  return Number.isFinite(took) && took >= 0 ? took : null
}

/** For an event without its own text. */
function brief({ type: _type, at: _at, step: _step, ...rest }: PageEvent): string {
  return Object.entries(rest)
    .map(([name, value]) => `${name}: ${asText(value)}`)
    .join(' · ')
}

const labels: Record<string, string> = {
  system: 'system',
  user: 'prompt',
  assistant: 'agent',
  thinking: 'thinking',
  tool_call: 'tool',
  tool_result: 'tool answer',
  skill_read: 'skill read',
  hook: 'hook',
  error: 'error',
  result: 'final answer',
}
const knownTypes = new Set(Object.keys(labels))
const foldedTypes = new Set(['system', 'thinking', 'tool_call', 'tool_result', 'hook'])
