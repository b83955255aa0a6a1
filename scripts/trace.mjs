// Shows where in dist/src a stack trace of the bundled program points: node scripts/trace.mjs < trace.txt, in a build of the same version.
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const program = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'dist/program')

/** The position in dist/src, or the given text where dist/program has no map for it. */
function findSource(position, file, line, column) {
  const map = path.join(program, `${file}.map`)
  if (!existsSync(map)) return position
  const origin = new SourceMap(JSON.parse(readFileSync(map, 'utf8'))).findOrigin(Number(line), Number(column))
  return origin.fileName === undefined ? position : `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
}

const position = /[^\s(]*dist\/program\/([\w.-]+\.js):(\d+):(\d+)/g
process.stdout.write(readFileSync(0, 'utf8').replaceAll(position, findSource))
