/** javascript: an expression, the body of a function or an exported function gets the answer, and what it returns decides. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { toFunctionBody } from '../../../base/text/function_body.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { useWorkingFolder } from './inputs/working_folder.ts'
import { decideScriptEnd, findScriptProgram } from './script.ts'
import { putGradingFiles, runVerifier, toPlacedFile } from './verifier/run_verifier.ts'

type JavascriptCheck = CheckOf<'javascript'>

export async function decideJavascript(check: JavascriptCheck, context: CheckContext): Promise<CheckVerdict> {
  return await useWorkingFolder(context, async (place) => {
    const { script, files = script === undefined ? [] : [script] } = check
    const problem = await putGradingFiles(files, context, place)
    if (problem !== null) return problem
    const placed = files.map(toPlacedFile).find(({ from }) => from === script)
    const program = script === undefined ? null : await findScriptProgram(place.own, placed?.to ?? script)
    if (program !== null && 'error' in program) return program
    const input = {
      ...(check.code !== undefined && { body: toFunctionBody(check.code) }),
      ...(program !== null && { file: program.file, name: check.function ?? 'default' }),
      output: context.finalResponse,
      context: describeTest(check, context),
      pass_at: check.pass_at,
    }
    const end = await runVerifier(
      {
        command: process.execPath,
        args: ['--input-type=commonjs', '--eval', caller],
        stdin: JSON.stringify(input),
        timeout: check.timeout,
        stdoutLimit: 4 * 1024 * 1024,
      },
      context,
      place,
    )
    return await decideScriptEnd(end, {
      command: 'node',
      passAt: undefined,
      isMissing: async () => false,
      runAgain: async () => null,
    })
  })
}

/** The second argument of the function. Names as promptfoo has them. */
function describeTest({ vars = {}, config = {} }: JavascriptCheck, { asked }: CheckContext) {
  return { prompt: asked?.prompt ?? null, vars, config, test: { description: asked?.eval_name ?? null, vars } }
}

/** Reads the input, calls the function and prints the verdict as its last line. What the function throws is a fail; code that cannot be loaded is not. */
const caller = `
const say = (verdict) => process.stdout.write('\\n' + JSON.stringify(verdict) + '\\n')
const load = async ({ body, file, name }) => {
  if (body !== undefined) return new (async () => {}).constructor('output', 'context', 'require', body)
  const module = await import(require('node:url').pathToFileURL(file))
  const found = [module[name], module.default?.[name], module.default].find((one) => typeof one === 'function')
  if (found === undefined) throw new Error('it exports no function ' + name)
  return found
}
const decide = (result, passAt) => {
  if (typeof result === 'boolean') return { passed: result }
  if (typeof result === 'number' && Number.isFinite(result)) return { passed: passAt === undefined ? result > 0 : result >= passAt, ...rate(result), evidence: 'Returned ' + result }
  if (typeof result?.pass === 'boolean') return { passed: result.pass, ...rate(result.score), evidence: String(result.reason ?? '') }
  return { passed: false, evidence: 'It returned ' + (JSON.stringify(result) ?? typeof result) + ', not true, false, a number or an object with "pass"' }
}
const rate = (score) => (score >= 0 && score <= 1 ? { score } : {})
const run = async (input) => {
  let call
  try {
    call = await load(input)
  } catch (error) {
    return say({ error: 'the code cannot be loaded: ' + (error?.message ?? error) })
  }
  try {
    say(decide(await call(input.output, input.context, require), input.pass_at))
  } catch (error) {
    say({ passed: false, evidence: 'Threw ' + error })
  }
}
run(JSON.parse(require('node:fs').readFileSync(0, 'utf8')))
`
