/** What a request to the model says of skills: agents limit their list of skills, and cut or leave out descriptions beyond the limit. Pure. */
import type { SkillListing } from '../../../schemas/run.ts'
import type { EngineTask } from '../engine.ts'

/** Characters of the prompt by which the agent's own request is known, of a description that must come to count as cut, and from a name to it. */
const promptLength = 200
const leastLength = 10
const gap = 60

/**
 * How each skill's description is in this body, by name. null: it is not the agent's request, but one that has no tools or not the task's
 * prompt, such as for a title; or it is compressed.
 */
export function readSkillOffers(
  body: string,
  { prompt, skills }: Pick<EngineTask, 'prompt' | 'skills'>,
): Record<string, SkillListing['description']> | null {
  if (!/"tools"\s*:\s*\[\s*\{/.test(body)) return null
  const text = toPlainText(unescapeJson(body))
  if (!text.includes(toPlainText(prompt).slice(0, promptLength))) return null
  return Object.fromEntries(skills.map(({ name, description }) => [name, findDescription(text, name, description)]))
}

function findDescription(text: string, name: string, description: string): SkillListing['description'] {
  const whole = toPlainText(description)
  if (text.includes(whole)) return 'full'
  const start = whole.slice(0, leastLength)
  const isCut = text.split(name).some((after, at) => at > 0 && after.slice(0, gap + start.length).includes(start))
  return isCut ? 'cut' : 'left_out'
}

/** All strings of a JSON text, with what is between them. */
function unescapeJson(text: string): string {
  return text.replaceAll(/\\(?:u([\da-f]{4})|(.))/gi, (_, code?: string, char = '') =>
    code === undefined ? (/[nrtbf]/.test(char) ? ' ' : char) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'" }

/** Some agents write descriptions as XML, and break lines as they like. */
function toPlainText(text: string): string {
  const plain = text.replaceAll(/&(amp|lt|gt|quot|apos|#39);/g, (_, name: string) => entities[name] ?? '')
  return plain.replaceAll(/\s+/g, ' ').trim()
}
