/** Copies a shipped example to a folder of the user's, to try edits on. */
import { cpSync, existsSync } from 'node:fs'
import path from 'node:path'
import { errorMessage, UserError } from '../../../base/errors/error.ts'
import { exampleFolder } from './demo.ts'

export interface ExampleCopy {
  /** The skill in the copy. */
  skill: string
  /** What the practice model answers. */
  scenario: string
}

/** Copies skill, suite and scenario; `to` must not exist. Throws UserError. */
export function copyExample(name: 'example' | 'example-improve', to: string): ExampleCopy {
  if (existsSync(to)) throw new UserError(`--copy ${to}: this folder exists`, 'name a new one')
  try {
    cpSync(exampleFolder(name), to, {
      recursive: true,
      filter: (file) => !isResult(path.relative(exampleFolder(name), file)),
    })
  } catch (error) {
    throw new UserError(`--copy ${to}: ${errorMessage(error)}`)
  }
  const skill = name === 'example' ? 'invoice-totals' : 'adder'
  return { skill: path.join(to, skill), scenario: path.join(to, 'practice.yaml') }
}

/** In a clone an earlier benchmark may have left its results next to the example. */
function isResult(file: string): boolean {
  return file.split(path.sep).some((part) => part === 'benchmarks' || part === '.cache')
}
