/** Blinds text by removing whatever reveals its origin; the judge of a comparison only gets blind text. */
import * as z from 'zod'

const blindText = z.string().brand<'blind'>()

/** Text from a blinder; nothing else creates it. */
export type BlindText = z.infer<typeof blindText>

/** Names to remove. */
export interface HiddenNames {
  configurations: readonly string[]
  skills: readonly string[]
  /** Absolute folders of the suite, the skill, the results. */
  paths: readonly string[]
  /** Everything that both agents were given; its words reveal neither of them. */
  task: readonly string[]
}

export type Blinder = (text: string) => BlindText

type Step = (text: string) => string

/** Replaces a name. */
const mark = '[hidden]'

/** Removes longer names first, so that no part of one remains. A text without names stays unchanged. */
export function createBlinder({ configurations, skills, paths, task }: HiddenNames): Blinder {
  const told = task.join('\n')
  const places = [...paths].filter((place) => place.length > 1).sort((a, b) => b.length - a.length)
  const steps: Step[] = [
    ...places.map(
      (place): Step =>
        (text) =>
          text.replaceAll(place, mark),
    ),
    (text) => hideJoinedText(text, /\/whetstone-\d+[^\s/"'`()<>]*(?:\/work(?![\w-]))?/g, { right: false }),
    (text) => hideJoinedText(text, /SKILL\.md|(?<![\w-])skills\//g, { right: true }),
    ...configurations.map((name) => createReplacer(createNamePattern(name))),
    createReplacer(/\b(?:with(?:out)?|old|new|no)(?:[\s_-]+(?:the|a|an|any))?[\s_-]+skills?\b/gi),
    ...skills.flatMap((name) =>
      isPlain(name) && createNamePattern(name).test(told) ? [] : [createReplacer(createNamePattern(name))],
    ),
    ...(/\bskills?\b/i.test(told) ? [] : [createReplacer(/\bskills?\b/gi)]),
    createReplacer(/(?<![a-z0-9])run[-_]\d+(?!\d)/gi),
  ]
  return (text) => blindText.parse(steps.reduce((left, step) => step(left), text))
}

function createReplacer(pattern: RegExp): Step {
  return (text) => text.replaceAll(pattern, mark)
}

const boundary = /[\s"'`()<>|,;]/

/** Hides each match with the rest of its path on the left, and on the right if requested. Linear in the text. */
function hideJoinedText(text: string, core: RegExp, { right }: { right: boolean }): string {
  let [hidden, done] = ['', 0]
  for (const match of text.matchAll(core)) {
    let [start, end] = [match.index, match.index + match[0].length]
    if (end <= done) continue
    while (start > done && !boundary.test(text.charAt(start - 1))) start -= 1
    while (right && end < text.length && !boundary.test(text.charAt(end))) end += 1
    hidden += `${text.slice(done, Math.max(done, start))}${mark}`
    done = end
  }
  return hidden + text.slice(done)
}

/** A one-word name, such as pdf, may be a word of the task; a name of several words cannot. */
function isPlain(name: string): boolean {
  return /^[a-z0-9]+$/i.test(name)
}

/** Matches the name as a whole word, however its parts are joined, but not as a file extension. */
function createNamePattern(name: string): RegExp {
  const words = name.split(/[-_\s]+/).map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  return new RegExp(`(?<![\\w.])${words.join('[-_\\s]?')}(?![a-z0-9])`, 'gi')
}
