/** What is wrong with a candidate before any agent is run on it. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { messageOf } from '../../base/error.ts'
import { copyWalk, type WalkedFile } from '../../base/files.ts'
import { openRoom } from '../../base/room.ts'
import { whereIs } from '../../base/sandbox/programs.ts'
import { runProcess } from '../../base/spawn.ts'
import { timeLimit } from '../../base/time_limit.ts'
import { readSkill } from '../../phases/1-plan/skill.ts'
import { boundsBroken } from '../../phases/5-improve/bounds.ts'
import { wordsOfCase } from '../../phases/5-improve/case_words.ts'
import { hardCodedIn } from '../../phases/5-improve/hard_coded.ts'
import { leakageIn } from '../../phases/5-improve/leakage.ts'
import { changedFiles, type SkillEdit } from '../../phases/5-improve/skill_edit.ts'

export interface StaticRequest {
  edit: SkillEdit
  files: readonly WalkedFile[]
  /** The skill's. */
  name: string
  /** The cases that the proposer saw, and all others. */
  seen: readonly SuiteCase[]
  held: readonly SuiteCase[]
  /** The sha256 of every version that was tried, by its name. */
  tried: ReadonlyMap<string, string>
  signal: AbortSignal
  searchPath: string
}

export interface Refusal {
  rule: string
  reason: string
}

/** The first thing that is wrong; null: nothing. */
export async function staticRefusal(request: StaticRequest): Promise<Refusal | null> {
  await using room = await openRoom()
  const folder = path.join(room.path, request.name)
  await mkdir(folder)
  await copyWalk(request.files, folder)
  const found = await readSkill(folder).catch((error: unknown) => messageOf(error).replaceAll(`${room.path}/`, ''))
  if (typeof found === 'string') return { rule: 'skill_invalid', reason: found }
  if (found.skill.name !== request.name) {
    return { rule: 'skill_invalid', reason: `it renames the skill from ${request.name} to ${found.skill.name}` }
  }
  const warning = found.warnings[0]
  if (warning !== undefined) return { rule: 'skill_invalid', reason: warning.message }
  const same = request.tried.get(found.skill.sha256)
  if (same !== undefined) return { rule: 'repeated', reason: `it is the same as ${same}` }
  const bound = boundsBroken(request.edit)
  if (bound !== null) return { rule: 'too_large', reason: bound }
  return textRefusal(request) ?? (await scriptRefusal(request, folder))
}

function textRefusal({ edit, seen, held }: StaticRequest): Refusal | null {
  const [known, unseen] = [seen.map(wordsOfCase), held.map(wordsOfCase)]
  const leak = leakageIn({ edit, seen: known, held: unseen })
  if (leak !== null) return { rule: 'leakage', reason: leak }
  const solved = hardCodedIn({ edit, seen: known, held: unseen })
  return solved === null ? null : { rule: 'hard_coded', reason: solved }
}

/** What checks the grammar of a file and runs nothing of it, by its ending. */
const parsers: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  js: ['node', '--check'],
  mjs: ['node', '--check'],
  cjs: ['node', '--check'],
  sh: ['bash', '-n'],
  bash: ['bash', '-n'],
  py: ['python3', '-c', 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])'],
  json: ['node', '-e', 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))'],
}

/** By its ending, else by its first line: `#!/bin/bash`, `#!/usr/bin/env python3`. */
function parserOf(name: string, { after }: SkillEdit) {
  const known = parsers[path.extname(name).slice(1)]
  if (known !== undefined) return known
  const first = after.find((file) => file.path === name)?.text?.split('\n', 1)[0] ?? ''
  const [, program = ''] = /^#!.*[/ ](\w+?)(?:3(?:\.\d+)?)?\s*$/.exec(first) ?? []
  return parsers[{ node: 'js', python: 'py' }[program] ?? program]
}

/** A script that was changed and does not parse. Where nothing on this machine can tell, nothing is said. */
async function scriptRefusal({ edit, signal, searchPath }: StaticRequest, folder: string): Promise<Refusal | null> {
  for (const { path: name, change } of changedFiles(edit)) {
    const [program, ...args] = parserOf(name, edit) ?? ['']
    if (change === 'deleted' || program === '') continue
    const command = program === 'node' ? process.execPath : await whereIs(program, searchPath)
    if (command === null) continue
    using limit = timeLimit(20_000, [signal])
    const end = await runProcess({
      command,
      args: [...args, name],
      cwd: folder,
      env: { PATH: searchPath },
      signal: limit.signal,
    })
    if (end.exitCode === 0) continue
    const said = end.stderrTail.split('\n').find((line) => /error|unexpected|line \d/i.test(line)) ?? end.stderrTail
    return { rule: 'script_broken', reason: `${name} does not parse: ${said.trim().slice(0, 200)}` }
  }
  return null
}
