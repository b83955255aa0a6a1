/** For tests that need a sandbox: skipped where none works. */
import { probeSandbox } from '../../src/base/sandbox/choose.ts'
import { needs } from '../require.ts'

export const foundSandbox = await probeSandbox(process.env.PATH ?? '')

const fix = 'apt-get install bubblewrap; whetstone doctor says what is wrong'
export const needsSandbox = needs('bubblewrap that works', foundSandbox.ok, fix)
