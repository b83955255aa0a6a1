/** Decides what it means that a verifier could not load its tests: the agent left a file out, or this machine lacks something. */
import path from 'node:path'
import type { CheckContext } from '../inputs/check_input.ts'
import type { VerifierEnd } from '../verifier/run_verifier.ts'
import { type ReportedTest, toVerifierTest, type VerifierResult } from './verifier_result.ts'

type Asked = Pick<NonNullable<CheckContext['asked']>, 'prompt' | 'expected_output' | 'reference'>

/**
 * A fail if the messages, or the output, say that a file of the agent is missing or broken: one that the case (`asked`) names, or one of
 * `left`, which the agent left. Else it stays undecided, as for a missing package of this machine.
 */
export function decideLoadFailure(
  result: VerifierResult,
  output: string,
  asked: Asked | undefined,
  left: readonly string[] = [],
): VerifierResult {
  if (!('error' in result) || result.notLoaded === undefined) return result
  const said = [...result.notLoaded.map(({ message = '' }) => message), output].join('\n')
  const names = listAgentNames(asked, left)
  const broken = [...listMissing(said), ...[...said.matchAll(codeFile)].map(([name]) => name)]
  const isOfAgent = broken.some((name) => names.has(name))
  return isOfAgent ? { score: 0, tests: result.notLoaded.map(toVerifierTest) } : result
}

/**
 * Whether a program in Python or Node.js ended because the machine or the suite lacks a module. What the agent left can print the same:
 * the program has to say it also before the agent (`runAgain` runs it there), and of no file of the agent.
 */
export async function lacksModule(
  said: string,
  { asked, outputs }: { asked?: Asked | undefined; outputs: readonly string[] },
  runAgain: () => Promise<VerifierEnd | null | undefined>,
): Promise<boolean> {
  if (!/\b(?:ModuleNotFoundError|ImportError|(?:ERR_)?MODULE_NOT_FOUND)\b/.test(said)) return false
  const ofAgent = listAgentNames(asked, outputs)
  const end = await runAgain()
  if (end?.end !== 'exited') return false
  const again = new Set(listMissing([end.output, end.process.stdout, end.process.stderrTail].join('\n')))
  return listMissing(said).some((name) => again.has(name) && !ofAgent.has(name))
}

/** Whether tests could not be loaded before the agent for a reason that they give after it, too: the same module or file, else the same words. */
export function isSameLoadFailure(
  { notLoaded, output }: { notLoaded: readonly ReportedTest[]; output: string },
  before: VerifierResult,
  outputBefore: string,
): boolean {
  if (!('error' in before) || before.notLoaded === undefined) return false
  const messages = (tests: readonly ReportedTest[]) => tests.map(({ message = '' }) => message)
  const missing = listMissing([...messages(notLoaded), output].join('\n'))
  const missingBefore = new Set(listMissing([...messages(before.notLoaded), outputBefore].join('\n')))
  if (missing.length > 0) return missing.some((name) => missingBefore.has(name))
  const said = new Set(messages(before.notLoaded))
  return messages(notLoaded).some((message) => said.has(message))
}

/** Files and modules that the case names, or that the agent left: its failures are the agent's. */
function listAgentNames(asked: Asked | undefined, left: readonly string[]): Set<string> {
  const names = left.map((file) => path.basename(file)).filter((name) => name === 'conftest.py' || !testFile.test(name))
  const modules = names.filter((name) => name.search(codeFile) === 0).map((name) => path.parse(name).name)
  const packages = left.flatMap((file) => path.dirname(file).split('/'))
  return new Set([...(asked === undefined ? [] : listWantedFiles(asked)), ...names, ...modules, ...packages])
}

const codeFile = /[\w-]+\.(?:py|[cm]?[jt]sx?)\b/g
const testFile = /(?:^|[._-])(?:test|tests|spec|conftest)(?:[._-]|$)/

/** Names of files and, for code, of modules: `calc.py` and `calc`. */
function listWantedFiles({ prompt, expected_output, reference }: Asked): Set<string> {
  const paths = Object.keys(reference?.files ?? {})
  const text = [prompt, expected_output ?? '', ...paths].join('\n')
  const named = [...text.matchAll(/[\w-]+\.[A-Za-z]\w*/g)].map(([name]) => name)
  const modules = [...text.matchAll(codeFile)].map(([name]) => path.parse(name).name)
  const folders = paths.flatMap((one) => path.dirname(one).split('/'))
  return new Set([...named, ...modules, ...folders].filter((name) => !testFile.test(name)))
}

/** What a message of Python, pytest, Node.js or Jest says is missing. */
function listMissing(said: string): string[] {
  const missing = [
    ...said.matchAll(/No module named '?(\w+)/g),
    ...said.matchAll(/cannot import name '\w+' from (?:partially initialized module )?'(\w+)/g),
    ...said.matchAll(/No such file or directory: '?(?:[^'\n]*\/)?([\w.-]+)/g),
    ...said.matchAll(/Cannot find (?:module|package) '(?:[^'\n]*\/)?([\w.-]+)'/g),
    ...said.matchAll(/ImportError: ([\w.-]+)(?=:|$)/gm),
  ]
  return missing.map(([, name = '']) => name)
}
