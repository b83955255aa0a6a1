/** Whether V8 gives values one hidden class: where each has its own, it takes several times their own memory. */
import { setFlagsFromString } from 'node:v8'

setFlagsFromString('--allow-natives-syntax')
const haveSame: (one: object, other: object) => unknown = new Function('a', 'b', 'return %HaveSameMap(a, b)') as never

/** How many of them have the hidden class of the first. */
export const likeFirst = (all: readonly object[]): number =>
  all.filter((one) => all[0] !== undefined && haveSame(all[0], one) === true).length
