/** execa, which starts every process, and what its file descriptors need: free ones, and none that this process inherited. */
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { attempt } from '../errors/attempt.ts'
import { readNames } from '../fs/tree_size.ts'

const require = createRequire(import.meta.url)

/** More file descriptors than the start of one process takes: two for each pipe, two of its own, and some for other threads. */
const neededDescriptors = 32

/**
 * Call it for each start. Loads execa at the first one, since it takes longer to load than most programs to run. Throws EMFILE or
 * ENFILE without free file descriptors, where execa 9 would leave an error event that ends the whole program.
 */
export function loadExeca(): typeof import('execa') {
  const opened: number[] = []
  try {
    while (opened.length < neededDescriptors) opened.push(openSync('/dev/null', 'r'))
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
  return require('execa')
}

const closeOnExec = 0o2000000

/** The inherited descriptors of this process, and an open /dev/null to replace them. Read once per process. */
let cachedDescriptors: { inherited: readonly number[]; empty: 3 } | null = null

/** The `stdio` of a child from descriptor 3 on: so many pipes, then /dev/null in place of each inherited file. */
export function pipesWithoutInherited(pipes: number): ('pipe' | 'ignore' | 3)[] {
  cachedDescriptors ??= {
    inherited: readNames('/proc/self/fd').map(Number).filter(isInheritable),
    empty: openSync('/dev/null', 'r') as 3, // the types of execa have no greater number than 9
  }
  const stdio: ('pipe' | 'ignore' | 3)[] = Array.from({ length: pipes }, () => 'pipe')
  for (const descriptor of cachedDescriptors.inherited) {
    if (descriptor < pipes + 3) continue
    while (stdio.length + 3 < descriptor) stdio.push('ignore')
    stdio[descriptor - 3] = cachedDescriptors.empty
  }
  return stdio
}

/** False for one that is already closed, which listed the others. */
function isInheritable(descriptor: number): boolean {
  const info = attempt(() => readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'), null)
  const flags = /^flags:\s*([0-7]+)/m.exec(info ?? '')?.[1] ?? '0'
  return info !== null && (Number.parseInt(flags, 8) & closeOnExec) === 0
}
