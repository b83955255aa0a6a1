/** Chooses the engine that proposes or drafts: the one in --proposer. */
import type { EngineChoice } from '../../../../schemas/plan.ts'
import { UserError } from '../../../base/errors/error.ts'
import { suggestChoice } from '../../../base/text/did_you_mean.ts'
import { guessProvider, isProvider } from '../../../engines/models/providers.ts'
import { isEngineName, listEngineNames } from '../../../engines/table.ts'
import type { FlowContext } from '../../flow_context.ts'
import { createAutoEngine } from '../../prepare/choose_engine.ts'

/** null: the engine of the runs, if it can judge; `choices` says so. Throws UserError for an unknown engine, before any paid call. */
export async function chooseProposer(
  asked: string | null,
  engine: EngineChoice,
  { context, choices }: { context: FlowContext; choices: string[] },
): Promise<EngineChoice> {
  const names = asked === null || /^command(:|$)/.test(asked) ? [] : asked.split(',')
  for (const name of names) refuseUnknown(name.trim())
  return await createAutoEngine(context).judge(asked, engine, choices).catch(throwProposerError)
}

/** Proposers share the syntax of judges; the message must name the other flag. */
function throwProposerError(error: unknown): never {
  if (!(error instanceof UserError)) throw error
  const said = (text: string) => text.replaceAll('--judge', '--proposer')
  throw new UserError(said(error.message), error.fix === null ? null : said(error.fix))
}

/** `nosuch:x` could be a model name; a user who wants that can add the provider. */
function refuseUnknown(text: string): void {
  const [name = '', ...rest] = text.split(':')
  if (rest.length === 0 || name === 'auto' || isEngineName(name) || isProvider(name)) return
  if (guessProvider(text) !== null) return
  throw new UserError(
    `--proposer "${text}": unknown engine "${name}"`,
    `${suggestChoice(name, listEngineNames())} (a model whose id contains ":" needs its engine: anthropic:${text})`,
  )
}
