/** Makes text blind: takes out whatever tells where it came from. Only blind text reaches the judge of a comparison. */
import { z } from 'zod'

const blindText = z.string().brand<'blind'>()

/** Text that went through a blinder; nothing else makes one. */
export type BlindText = z.infer<typeof blindText>

/** What may not be told. */
export interface Names {
  configurations: readonly string[]
  skills: readonly string[]
  /** Folders of the suite, the skill, the results: absolute. */
  paths: readonly string[]
  /** All that both agents were told. A word of it betrays none of them. */
  task: readonly string[]
}

export type Blinder = (text: string) => BlindText

type Step = (text: string) => string

/** What stands in place of a name. */
const mark = '[hidden]'

/** Longer names first, so that none is left in part. Takes no letter out of a text that holds no name. */
export function blinder({ configurations, skills, paths, task }: Names): Blinder {
  const told = task.join('\n')
  const places = [...paths].filter((place) => place.length > 1).sort((a, b) => b.length - a.length)
  const steps: Step[] = [
    ...places.map(
      (place): Step =>
        (text) =>
          text.replaceAll(place, mark),
    ),
    (text) => hideAround(text, /\/whetstone-\d+[^\s/"'`()<>]*(?:\/work(?![\w-]))?/g, { right: false }),
    (text) => hideAround(text, /SKILL\.md|(?<![\w-])skills\//g, { right: true }),
    ...configurations.map((name) => replacing(wordsOf(name))),
    replacing(/\b(?:with(?:out)?|old|new|no)(?:[\s_-]+(?:the|a|an|any))?[\s_-]+skills?\b/gi),
    ...skills.flatMap((name) => (isPlain(name) && wordsOf(name).test(told) ? [] : [replacing(wordsOf(name))])),
    ...(/\bskills?\b/i.test(told) ? [] : [replacing(/\bskills?\b/gi)]),
    replacing(/(?<![a-z0-9])run[-_]\d+(?!\d)/gi),
  ]
  return (text) => blindText.parse(steps.reduce((left, step) => step(left), text))
}

function replacing(pattern: RegExp): Step {
  return (text) => text.replaceAll(pattern, mark)
}

const boundary = /[\s"'`()<>|,;]/

/** Hides each match with what is joined to it on the left, and on the right if asked: the rest of a path. Linear in the text. */
function hideAround(text: string, core: RegExp, { right }: { right: boolean }): string {
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

/** A name of one word may be a word of the task, such as pdf; one of several can't be. */
function isPlain(name: string): boolean {
  return /^[a-z0-9]+$/i.test(name)
}

/** The name as a whole word, however its words are joined; not the extension of a file. */
function wordsOf(name: string): RegExp {
  const words = name.split(/[-_\s]+/).map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  return new RegExp(`(?<![\\w.])${words.join('[-_\\s]?')}(?![a-z0-9])`, 'gi')
}
