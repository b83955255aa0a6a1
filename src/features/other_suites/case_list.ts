/** Reads lists of cases in the form of evals.json, and SkillEvaluation's. https://github.com/decimal-labs/skillevaluation */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { type CaseSource, isCaseDocument, openDocument } from '../../phases/1-plan/formats/evals_json/document.ts'
import { isJsonObject, promptNames, readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { flattenSuites } from '../../phases/1-plan/formats/evals_json/nested_suites.ts'
import { blankOtherCase, keepNotes, type OtherCase, type OtherPlace, type OtherSystem } from './other_suite.ts'
import { OtherFields } from './read_fields.ts'

export const caseList: OtherSystem = {
  title: 'a list of cases',
  signs: [
    {
      words:
        'a list "evals", "cases" or "tests" of objects with a "prompt", one such object, or "suites" of such lists',
      holds: (document) => isList(flattenSuites(document).document),
    },
  ],
  read({ notes }, { file, root, warn }, document) {
    const opened = openDocument(document, file, warn)
    if (opened.sandbox !== undefined) notes.refuse('"sandbox" of the file cannot be read: write an evals.json')
    for (const { at, message } of opened.mistakes) notes.refuse(`${at}: ${message}`)
    const cases = opened.cases.map((source, index) => readListed(source, index, { root, warn }))
    return Promise.resolve({ skillName: opened.skillName, base: root, cases })
  },
}

/** As in evals.json, with the validators and the "setup" of SkillEvaluation as ours. */
function readListed(
  { object, at, noted }: CaseSource,
  index: number,
  { root, warn }: Pick<OtherPlace, 'root' | 'warn'>,
): OtherCase {
  const { validators = [], setup, ...rest } = object
  const one = { ...blankOtherCase(at), ...(noted && { noted }) }
  const { kept, keep } = keepNotes(at)
  const fields = new OtherFields({ validators, setup }, at, {
    warn,
    keep,
    refuse: (reason) => one.reasons.push(reason),
  })
  const checks = fields.items('validators').flatMap((validator) => readValidator(validator, root))
  const place = isJsonObject(setup) ? fields.inner('setup') : null
  for (const [name, content] of Object.entries(place?.inner('files').object ?? {})) {
    if (typeof content === 'string') one.texts[name] = content
    else one.reasons.push(`${at}.setup.files: ${name} has no text`)
  }
  const commands = place?.texts('commands') ?? []
  place?.rest('"setup"', ['files', 'commands'])
  one.object = {
    ...nameCase(rest, index),
    ...(place === null ? setup !== undefined && { setup } : commands.length > 0 && { setup: commands }),
    ...(checks.length > 0 && { checks: [...(Array.isArray(rest.checks) ? rest.checks : []), ...checks] }),
    ...(Object.keys(kept).length > 0 && { metadata: { ...(isJsonObject(rest.metadata) && rest.metadata), ...kept } }),
  }
  return one
}

/** The command sees the answer in response.txt and $RESPONSE_TEXT. Any other exit code than 0, 1 and the expected one is no verdict. */
function readValidator(validator: OtherFields, root: string): unknown[] {
  const cmd = validator.text('cmd')
  const wanted = validator.object.expect_exit_code === 0 ? 0 : (validator.number('expect_exit_code') ?? 0)
  validator.value('expect_exit_code')
  const text = validator.text('label') ?? cmd?.slice(0, 80)
  validator.rest('a validator', ['cmd', 'expect_exit_code', 'label'])
  if (cmd === null) validator.notes.refuse(`${validator.at} has no "cmd"`)
  const code = [
    "require('node:fs').writeFileSync('response.txt', output)",
    `const { status, stdout, stderr, error } = require('node:child_process').spawnSync('bash', ['-c', ${JSON.stringify(cmd)}], {`,
    "  encoding: 'utf8',",
    '  env: { ...process.env, RESPONSE_TEXT: output },',
    '})',
    `if (error || ![0, 1, ${wanted}].includes(status)) process.exit(3)`,
    `return { pass: status === ${wanted}, reason: (stdout + stderr).trim().slice(-500) || 'exit code ' + status }`,
  ].join('\n')
  const files = existsSync(path.join(root, 'scripts')) ? { files: ['scripts'] } : {}
  return cmd === null ? [] : [{ type: 'javascript', code, text, ...files }]
}

function isList(document: unknown): boolean {
  return isCaseDocument(document) || isAsking(document) || (Array.isArray(document) && document.some(isAsking))
}

function isAsking(item: unknown): boolean {
  return isJsonObject(item) && promptNames.some((name) => readNonEmptyText(item[name]) !== null)
}

/** An id that is not the place in the list, from 1, is the key of the case, and its name if it has none. */
function nameCase(object: Record<string, unknown>, index: number): Record<string, unknown> {
  const { id = null } = object
  if (id === null || id === index + 1 || object.eval_key !== undefined) return object
  return { eval_key: typeof id === 'string' ? id : JSON.stringify(id), ...object }
}
