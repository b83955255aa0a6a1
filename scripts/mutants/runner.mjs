// Vitest's runner, for mutants: runs a test file as it is and notes which test passes which mutant, then runs the file again for each
// mutant that is not yet killed, with only the tests that pass it. It reads and writes the folder WHETSTONE_MUTANTS_STATE. With
// WHETSTONE_MUTANTS_ALL=1 it goes on after the first test that kills a mutant, so that all of them are known.
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { startTests } from '@vitest/runner'
import { TestRunner } from 'vitest'

const folder = process.env.WHETSTONE_MUTANTS_STATE ?? ''
const wanted = new Set((process.env.WHETSTONE_MUTANTS_WANTED ?? '').split(' ').map(Number))
const findsAll = process.env.WHETSTONE_MUTANTS_ALL === '1'
const note = path.join(folder, `passed-${process.pid}`)
process.env.WHETSTONE_MUTANTS_PASSED = note

// the mutated source shares this object: the mutant that is on, and those whose place was passed
const mutants = { active: 0, passed: new Set() }
globalThis.__mutants ??= mutants

/** Mutants passed since the last call, in this process and in those it started. */
function takePassed() {
  const here = [...globalThis.__mutants.passed]
  globalThis.__mutants.passed.clear()
  const there = existsSync(note) ? readFileSync(note, 'utf8').trim().split(' ').map(Number) : []
  rmSync(note, { force: true })
  return [...new Set([...here, ...there])].filter((id) => wanted.has(id))
}

const isKilled = (id) => existsSync(path.join(folder, `killed-${id}`))

export default class MutantRunner extends TestRunner {
  /** Mutants by the id of the test that passes them. */
  passed = new Map()
  /** Passed outside of a test, so by all tests of the file. */
  everywhere = []
  /** In a run with a mutant: the ids of the tests to run. */
  only = null
  /** Names of the tests that failed. */
  killers = []

  importFile(filepath, source) {
    // a value that a test's helper keeps from the last run would hide the mutant
    for (const [id, node] of this.workerState.evaluatedModules.idToModuleMap) {
      if (id.includes('/test/')) this.workerState.evaluatedModules.invalidateModule(node)
    }
    return super.importFile(filepath, source)
  }

  async onBeforeRunTask(test) {
    const isDone = this.killers.length > 0 && !findsAll
    if (this.only !== null && (isDone || !this.only.has(test.id))) test.mode = 'skip'
    this.everywhere.push(...takePassed())
    await super.onBeforeRunTask(test)
  }

  onAfterRunTask(test) {
    this.passed.set(test.id, takePassed())
    if (test.result?.state === 'fail') this.killers.push(test.name)
    super.onAfterRunTask(test)
  }

  async onAfterRunFiles(files = []) {
    super.onAfterRunFiles()
    if (this.only !== null) return
    this.everywhere.push(...takePassed())
    const tests = files.flatMap(listTests).filter((test) => test.result?.state === 'pass')
    for (const id of wanted) {
      const all = this.everywhere.includes(id)
      const passing = tests.filter((test) => all || this.passed.get(test.id)?.includes(id)).map((test) => test.id)
      if (passing.length === 0) continue
      writeFileSync(path.join(folder, `covered-${id}`), '')
      if (findsAll || !isKilled(id)) await this.tryMutant(id, files, new Set(passing))
    }
    this.passed.clear()
    this.everywhere = []
    this.killers = []
  }

  /** Leaves `killed-<id>`, which names the test. `trying-<pid>` shows a mutant that never ends to the process that waits. */
  async tryMutant(id, files, only) {
    const trying = path.join(folder, `trying-${process.pid}`)
    const names = files.map((file) => file.filepath)
    writeFileSync(trying, `${id} ${names.join(' ')}`)
    const runner = new MutantRunner(this.config)
    Object.defineProperty(runner, 'moduleRunner', { value: this.moduleRunner })
    runner.__setTraces(this._otel)
    runner.only = only
    process.env.WHETSTONE_MUTANT = String(id)
    globalThis.__mutants.active = id
    const ends = await startTests([...names], runner)
    globalThis.__mutants.active = 0
    delete process.env.WHETSTONE_MUTANT
    takePassed()
    const broken = ends.flatMap(listSuites).flatMap((suite) => (suite.result?.state === 'fail' ? [suite.name] : []))
    const killers = runner.killers.length > 0 ? runner.killers : broken.slice(0, 1)
    for (const killer of killers) appendFileSync(path.join(folder, `killed-${id}`), `${names.join(' ')} > ${killer}\n`)
    rmSync(trying, { force: true })
  }
}

const listTests = (task) => (task.type === 'test' ? [task] : task.tasks.flatMap(listTests))
const listSuites = (task) => (task.type === 'suite' ? [task, ...task.tasks.flatMap(listSuites)] : [])
