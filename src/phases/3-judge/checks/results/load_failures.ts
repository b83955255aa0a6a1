/** Decides what it means that a verifier could not load its tests: the agent left a file out, or this machine lacks something. */
import path from 'node:path'
import type { CheckContext } from '../inputs/check_input.ts'
import { toVerifierTest, type VerifierResult } from './verifier_result.ts'

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
  const wanted = asked === undefined ? [] : listWantedFiles(asked)
  const own = left.map((file) => path.basename(file)).filter((name) => name === 'conftest.py' || !testFile.test(name))
  const names = new Set([...wanted, ...own])
  const isOfAgent = listBrokenNames(said).some((name) => names.has(name))
  return isOfAgent ? { score: 0, tests: result.notLoaded.map(toVerifierTest) } : result
}

/** Whether a program in Python or Node.js ended because a module is missing, which the machine or the suite has to provide. */
export function lacksModule(said: string): boolean {
  return /\b(?:ModuleNotFoundError|ImportError|ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND)\b/.test(said)
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

/** What a message of Python, pytest, Node.js or Jest says is missing, and the files of code that its trace names. */
function listBrokenNames(said: string): string[] {
  const missing = [
    ...said.matchAll(/No module named '?(\w+)/g),
    ...said.matchAll(/cannot import name '\w+' from (?:partially initialized module )?'(\w+)/g),
    ...said.matchAll(/No such file or directory: '?(?:[^'\n]*\/)?([\w.-]+)/g),
    ...said.matchAll(/Cannot find module '(?:[^'\n]*\/)?([\w.-]+)'/g),
  ].map(([, name = '']) => name)
  return [...missing, ...[...said.matchAll(codeFile)].map(([name]) => name)]
}
