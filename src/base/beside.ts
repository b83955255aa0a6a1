/** Names for what is made beside its place and then renamed to it. */
import { randomBytes } from 'node:crypto'
import path from 'node:path'

/** Of this process among all that ever write to a folder: in containers that share one every process may have the number 1. */
const ours = randomBytes(6).toString('hex')

let count = 0

/** A hidden name in the same folder that nobody else gives, nor did one whose process was killed and left it there. */
export function nameBeside(place: string): string {
  count += 1
  return path.join(path.dirname(place), `.${path.basename(place)}.${ours}.${count}.tmp`)
}
