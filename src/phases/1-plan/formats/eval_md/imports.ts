/** Finds what a source file imports within its package, by the import lines of its language. Nothing is parsed or run. */
import { statSync } from 'node:fs'
import path from 'node:path'
import { isInsideFolder } from '../../../../base/fs/inside_folder.ts'
import { readText } from '../../../../base/json/json.ts'
import { isHiddenFromAgents } from '../../skill/read_skill.ts'

/** Files of one source with its imports, and the bytes above which a file is not searched for imports. */
const limits = { files: 200, searched: 2 ** 20 }

export interface FoundImports {
  /** Absolute; the source itself is the first. */
  files: string[]
  /** Imports that are left out, relative to the package, each with the reason. */
  leftOut: string[]
}

/** Follows imports from file to file, each once. `root`: the package, absolute. */
export async function findImports(source: string, root: string): Promise<FoundImports> {
  const found = new Set([source])
  const leftOut = new Set<string>()
  for (const file of found) {
    for (const candidates of await listImports(file, root)) {
      const target = candidates.find(isFile)
      if (target === undefined || found.has(target)) continue
      const name = path.relative(root, target)
      if (!isInsideFolder(root, target)) leftOut.add(`${name} (outside of the package)`)
      else if (isHiddenFromAgents(name)) leftOut.add(`${name} (agents never see it)`)
      else if (found.size >= limits.files) leftOut.add(`${name} (more than ${limits.files} files)`)
      else found.add(target)
    }
  }
  return { files: [...found], leftOut: [...leftOut] }
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true
}

/** For each import of a file, the places where it may be, absolute. */
async function listImports(file: string, root: string): Promise<string[][]> {
  const list = importsByExtension[path.extname(file)]
  if (list === undefined || statSync(file).size > limits.searched) return []
  return list(await readText(file), { folder: path.dirname(file), root })
}

interface ImportPlace {
  folder: string
  root: string
}

const scriptEndings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json']

/** Relative imports of TypeScript and JavaScript; `./x.js` may be `./x.ts`. */
function listScriptImports(text: string, { folder }: ImportPlace): string[][] {
  const imports = text.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*(['"`])(\.\.?(?:\/[^'"`\n]*)?)\1/g)
  return [...imports].map(([, , name = '']) => {
    const place = path.resolve(folder, name)
    const bare = place.replace(/\.([cm]?)jsx?$/, '')
    return [place, bare, path.join(place, 'index')].flatMap((one) => [one, ...scriptEndings.map((end) => one + end)])
  })
}

/** `from .a import b`, `from a.b import c` and `import a.b`, from the file's folder, the package or its `src`. */
function listPythonImports(text: string, { folder, root }: ImportPlace): string[][] {
  const froms = [...text.matchAll(/^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)/gm)]
  const plain = [...text.matchAll(/^[ \t]*import[ \t]+([\w., \t]+)/gm)]
  const named = froms.flatMap(([, dots = '', module = '', names = '']) => {
    const parts = [...names.matchAll(/\b(\w+)(?:\s+as\s+\w+)?/g)].map(([, name = '']) => name)
    return ['', ...parts].map((name) => ({ dots, module: [module, name].filter(Boolean).join('.') }))
  })
  const whole = plain.flatMap(([, list = '']) => list.split(',').map((one) => one.trim().split(/\s/)[0] ?? ''))
  return [...named, ...whole.map((module) => ({ dots: '', module }))].map(({ dots, module }) => {
    const parts = module.split('.')
    const from = dots === '' ? [folder, root, path.join(root, 'src')] : [path.join(folder, ...ups(dots.length - 1))]
    return from.flatMap((base) => {
      const place = path.join(base, ...parts)
      return [`${place}.py`, path.join(place, '__init__.py')]
    })
  })
}

function ups(count: number): string[] {
  return Array.from({ length: count }, () => '..')
}

/** Every module name in the text, at its usual place: `MyApp.Greeter` is lib/my_app/greeter.ex. */
function listElixirImports(text: string, { root }: ImportPlace): string[][] {
  const groups = [...text.matchAll(/\b([A-Z][\w.]*)\.\{([^}]*)\}/g)].flatMap(([, base = '', names = '']) =>
    names.split(',').map((name) => `${base}.${name.trim()}`),
  )
  const names = [...text.matchAll(/\b[A-Z]\w*(?:\.[A-Z]\w*)*/g)].map(([name]) => name)
  return [...new Set([...names, ...groups])].map((name) => [path.join(root, 'lib', `${underscore(name)}.ex`)])
}

function underscore(module: string): string {
  return module
    .replaceAll(/([a-z\d])([A-Z])|([A-Z]+)([A-Z][a-z])/g, '$1$3_$2$4')
    .replaceAll('.', '/')
    .toLowerCase()
}

const importsByExtension: Readonly<Record<string, (text: string, place: ImportPlace) => string[][]>> = {
  ...Object.fromEntries(scriptEndings.map((ending) => [ending, listScriptImports])),
  '.py': listPythonImports,
  '.ex': listElixirImports,
  '.exs': listElixirImports,
}
