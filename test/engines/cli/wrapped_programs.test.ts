/** The programs that a shell script starts, which its sandbox has to show. */
import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findWrappedPrograms } from '../../../src/engines/cli/find_program.ts'
import { fresh } from '../../e2e/program.ts'

const folder = fresh()
const [node, script] = [path.join(folder, 'node'), path.join(folder, 'cli.js')]
for (const file of [node, script]) writeFileSync(file, '')

test.each([
  ['quoted', `#!/bin/sh\nexec '${node}' "${script}" "$@"\n`, [node, script]],
  ['not quoted, by bash', `#!/usr/bin/env bash\n${node} ${script} $@\n`, [node, script]],
  ['a folder, and a file that is not there', `#!/bin/sh\ncd ${folder}\nexec ${folder}/none\n`, []],
  ['a path below a variable', `#!/bin/sh\nexec $HOME${node}\n`, []],
  ['not a script of a shell', `#!${node}\n${script}\n`, []],
  ['not a script', `${node} ${script}\n`, []],
])('%s', async (_, text, found) => {
  const program = path.join(fresh(), 'program')
  writeFileSync(program, text)
  chmodSync(program, 0o755)
  expect(await findWrappedPrograms(program)).toEqual(found)
})
