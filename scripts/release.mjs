// What release.yml asks before it publishes. `check TAG OWNER/NAME`: do tag, package.json, CHANGELOG.md and the repository agree? Prints the dist-tag
// as GITHUB_OUTPUT takes it, or every error (exit 1). `notes TAG`: the section of CHANGELOG.md.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The sections of a changelog: version (or "Unreleased"), date or null, text, and the number of entries. */
export function sectionsOf(changelog) {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n')
      const [, version = '', date = null] = /^\[?([^\]\s]+)\]?(?:\s+[–-]\s+(\S+))?/.exec(heading) ?? []
      return {
        version,
        date,
        text: lines.join('\n').trim(),
        entries: lines.filter((line) => /^[-*] \S/.test(line)).length,
      }
    })
}

/** `owner/name` of an address on GitHub, as package.json has it. */
export function repositoryOf(url) {
  const [, repository = ''] = /github\.com[/:]([^/]+\/[^/#]+?)(?:\.git)?$/.exec(url) ?? []
  return repository
}

const isPrerelease = (version) => version.includes('-')

/** The section that describes a version: a prerelease may do with what is under Unreleased. */
export function notesOf(version, changelog) {
  const sections = sectionsOf(changelog)
  const own = sections.find((one) => one.version === version)
  return own ?? (isPrerelease(version) ? sections.find((one) => one.version === 'Unreleased') : undefined)
}

function changelogErrors(version, changelog) {
  const unreleased = sectionsOf(changelog).find((one) => one.version === 'Unreleased')
  const waiting = unreleased !== undefined && unreleased.entries > 0
  const notes = notesOf(version, changelog)
  if (notes === undefined) {
    const move = waiting ? '; move the entries of "## Unreleased" into it' : ''
    return [`CHANGELOG.md has no section "## ${version} – YYYY-MM-DD"${move}`]
  }
  const errors = []
  if (notes.entries === 0) errors.push(`the section ${notes.version} of CHANGELOG.md has no entry`)
  if (notes.version === 'Unreleased') return errors
  if (!/^\d{4}-\d\d-\d\d$/.test(notes.date ?? ''))
    errors.push(`the section ${version} of CHANGELOG.md has no date: "## ${version} – YYYY-MM-DD"`)
  if (waiting) errors.push(`CHANGELOG.md still has entries under Unreleased: move them to ${version}`)
  return errors
}

/** Every reason not to release, in plain words. */
export function releaseErrors({ tag, repository, manifest, changelog }) {
  const { name, version } = manifest
  const errors = []
  if (!/^v\d+\.\d+\.\d+(-[\w.-]+)?$/.test(tag))
    errors.push(`the tag "${tag}" is not of the form v1.2.3 or v1.2.3-next.0`)
  else if (tag !== `v${version}`) errors.push(`the tag is ${tag}, but package.json has version ${version}`)
  errors.push(...changelogErrors(version, changelog))
  const own = repositoryOf(manifest.repository?.url ?? '')
  if (own !== repository)
    errors.push(
      `this workflow runs in ${repository}, but the repository of package.json is ${own || 'not on GitHub'}: npm refuses provenance from elsewhere`,
    )
  for (const field of ['homepage', 'bugs']) {
    const url = manifest[field]?.url ?? manifest[field] ?? ''
    if (own !== '' && !url.includes(`github.com/${own}`))
      errors.push(`"${field}" of package.json is not in its repository ${own}`)
  }
  if (!/^(@[a-z0-9-][\w.-]*\/)?whetstone$/.test(name))
    errors.push(`the name "${name}" is not whetstone or @scope/whetstone, which scripts/package_name.mjs knows`)
  if (manifest.private) errors.push('package.json is private')
  return errors
}

/** What the steps of release.yml after this one need, as GITHUB_OUTPUT takes it. */
export function outputsOf(version) {
  return `dist_tag=${isPrerelease(version) ? 'next' : 'latest'}\nprerelease=${isPrerelease(version)}`
}

function main([command, tag = '', repository = '']) {
  const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')
  if (command === 'notes') return console.log(notesOf(tag.slice(1), changelog)?.text ?? '')
  if (command !== 'check') throw new Error('usage: release.mjs check TAG OWNER/NAME | notes TAG')
  const errors = releaseErrors({ tag, repository, manifest, changelog })
  for (const error of errors) console.error(`error: ${error}`)
  if (errors.length > 0) process.exitCode = 1
  else console.log(outputsOf(manifest.version))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2))
