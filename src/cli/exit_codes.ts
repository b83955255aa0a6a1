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
