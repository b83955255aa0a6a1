/** Exit codes, as documented in docs/reference/cli.md and the help. */
export const exitCodes = {
  done: 0,
  gateFailed: 1,
  usage: 2,
  incomplete: 3,
  bug: 70,
  interrupted: 130,
} as const

export const exitHelp = `Exit codes:
  0 done · 1 a gate, case or check failed · 2 usage or unreadable input
  3 incomplete (a planned run without a grade) · 70 bug · 130 Ctrl-C`

interface CommandEnd {
  interrupted?: boolean
  /** A result is missing, or covers less than was planned. */
  incomplete?: boolean
  /** A gate, case or check failed. */
  failed?: boolean
}

export function chooseExitCode({ interrupted, incomplete, failed }: CommandEnd): number {
  if (interrupted) return exitCodes.interrupted
  if (incomplete) return exitCodes.incomplete
  return failed ? exitCodes.gateFailed : exitCodes.done
}

/** Of several ends, the code of the worst. */
export function findWorstExit(codes: readonly number[]): number {
  const { interrupted, bug, usage, incomplete, gateFailed } = exitCodes
  return [interrupted, bug, usage, incomplete, gateFailed].find((one) => codes.includes(one)) ?? exitCodes.done
}
