/** Keeps files that this process inherited away from its sandboxed children, which would inherit them too. */
import type { IOType } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { attempt } from '../errors/attempt.ts'
import { readNames } from '../fs/tree_size.ts'

const closeOnExec = 0o2000000

type Stdio = readonly (IOType | number)[]

/** The inherited descriptors of this process, and an open /dev/null to replace them. Read once per process. */
let cachedDescriptors: { inherited: readonly number[]; empty: number } | null = null

/** The `stdio` of a child, with /dev/null in place of each inherited file. */
export function replaceInherited(stdio: Stdio): (IOType | number)[] {
  cachedDescriptors ??= {
    inherited: readNames('/proc/self/fd').map(Number).filter(isInheritable),
    empty: openSync('/dev/null', 'r'),
  }
  const replaced = [...stdio]
  for (const descriptor of cachedDescriptors.inherited) {
    if (descriptor < stdio.length) continue
    while (replaced.length < descriptor) replaced.push('ignore')
    replaced[descriptor] = cachedDescriptors.empty
  }
  return replaced
}

/** False for one that is already closed, which listed the others. */
function isInheritable(descriptor: number): boolean {
  const info = attempt(() => readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'), null)
  const flags = /^flags:\s*([0-7]+)/m.exec(info ?? '')?.[1] ?? '0'
  return info !== null && (Number.parseInt(flags, 8) & closeOnExec) === 0
}
