/** Who proposes or drafts: the engine that --proposer names. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { UserError } from '../../base/error.ts'
import { nearest } from '../../base/nearest.ts'
import { isProvider, providerOf } from '../../engines/providers.ts'
import { engineNames, isEngineName } from '../../engines/table.ts'
import { autoEngine } from '../auto_engine.ts'
import type { FlowContext } from '../context.ts'

/** null: the engine of the runs, where it can be asked as a judge is. What was chosen by itself is told among the choices. Throws UserError for an engine that there is none of, before anything is paid for. */
export async function chooseProposer(
  asked: string | null,
  engine: EngineChoice,
  { context, choices }: { context: FlowContext; choices: string[] },
): Promise<EngineChoice> {
  const names = asked === null || /^command(:|$)/.test(asked) ? [] : asked.split(',')
  for (const name of names) refuseUnknown(name.trim())
  return await autoEngine(context, false).judge(asked, engine, choices).catch(sayProposer)
}

/** Judges and proposers are named alike; the flag is another. */
function sayProposer(error: unknown): never {
  if (!(error instanceof UserError)) throw error
  const said = (text: string) => text.replaceAll('--judge', '--proposer')
  throw new UserError(said(error.message), error.fix === null ? null : said(error.fix))
}

/** `nosuch:x` could be a model of that name; whoever means that can say whose it is. */
function refuseUnknown(text: string): void {
  const [name = '', ...rest] = text.split(':')
  if (rest.length === 0 || name === 'auto' || isEngineName(name) || isProvider(name)) return
  if (providerOf(text) !== null) return
  const meant = nearest(name, engineNames, 1).map((one) => `did you mean ${one}? `)
  throw new UserError(
    `--proposer ${text}: there is no engine ${name}`,
    `${meant.join('')}give one of ${engineNames.join(', ')}; a model of that name is anthropic:${text}`,
  )
}
