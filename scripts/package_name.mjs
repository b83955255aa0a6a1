// The name of the package stands in package.json. This writes it where a text installs, starts or imports the package, and the repository where a
// workflow uses our action; `npm run generate` does so in every file that users read or copy. The command is called whetstone under every name.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryOf } from './release.mjs'

const name = String.raw`(?:@[a-z0-9-][\w.-]*/)?whetstone(?![\w/-]|\.\w|\s*:)`
const flags = String.raw`(?:\s+(?:-{1,2}[\w-]+(?:=\S+)?))*`

/** What comes before the name of the package, and the name. */
const places = [
  String.raw`\bnpx${flags}\s+`,
  String.raw`\bnpx\b[^\n]*?\s(?:-p|--package)[ =]`,
  String.raw`\bnpm (?:install|i|add|exec|update|uninstall)${flags}\s+`,
  String.raw`\b(?:pnpm|yarn|bun) (?:add|dlx)${flags}\s+`,
  String.raw`"(?:-y|--yes)",\s*"`, // the arguments of npx in the configuration of an MCP client
].map((before) => new RegExp(`(${before})${name}`, 'g'))
const imports =
  /(\b(?:from|import|import\(|require\()\s*['"]|`)(?:@[a-z0-9-][\w.-]*\/)?whetstone(?=(?:\/vitest)?['"]|\/vitest`)/g
const uses = /(\buses:\s+)[\w.-]+\/[\w.-]+(?=(?:@|\/)[^\n]*# whetstone$)/gm

/** The text with the name of the package and the repository of `manifest`. */
export function withPackageName(text, manifest) {
  const named = [...places, imports].reduce((all, place) => all.replaceAll(place, `$1${manifest.name}`), text)
  return named.replaceAll(uses, `$1${repositoryOf(manifest.repository.url)}`)
}

/** The files in which it may stand, relative to the root: what git knows of them. */
export function filesWithPackageName(root) {
  const folders = ['README.md', 'SECURITY.md', 'docs', 'skills', 'src', 'viewer', 'docker', '.github', 'action.yml']
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z', ...folders], {
    cwd: root,
    encoding: 'utf8',
  })
  return files
    .split('\0')
    .filter((file) => /\.(md|ya?ml|ts|tsx|mjs|hbs)$/.test(file) && file !== 'docs/reference/cli.md')
}

/** Each file that has the name, with its text as it should be. */
export function filesRenamed(root, manifest) {
  return filesWithPackageName(root).flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8')
    const wanted = withPackageName(text, manifest)
    return wanted === text ? [] : [{ file, wanted }]
  })
}
