// sbom.mjs FILE: writes the bill of materials of the package (CycloneDX): what npm installs with it, and what the build has put into its files.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** The packages that are in the files of a build: the headings of each LICENSES.txt below. */
export function bundledPackages(dist) {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (file) => path.basename(file) === 'LICENSES.txt',
  )
  const names = files.flatMap((file) => [
    ...readFileSync(path.join(dist, file), 'utf8').matchAll(/^# ((?:@[\w.-]+\/)?[\w.-]+)$/gm),
  ])
  return [...new Set(names.map(([, name]) => name))].sort()
}

const isOnlyForDevelopment = ({ properties = [] }) =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true')

/** npm's bill of everything, without what is only for development. `bundled`: name@version of what is in our files, which stays, marked as that. */
export function shippedPart(bill, bundled) {
  const isBundled = (component) => bundled.includes(component['bom-ref'])
  const components = bill.components
    .filter((component) => isBundled(component) || !isOnlyForDevelopment(component))
    .map((component) => {
      if (!isBundled(component)) return component
      const kept = (component.properties ?? []).filter(({ name }) => name !== 'cdx:npm:package:development')
      return { ...component, properties: [...kept, { name: 'cdx:npm:package:bundled', value: 'true' }] }
    })
  const missing = bundled.filter((ref) => !components.some((component) => component['bom-ref'] === ref))
  if (missing.length > 0) throw new Error(`npm sbom does not list ${missing.join(', ')}`)
  const own = bill.metadata.component['bom-ref']
  const refs = new Set([own, ...components.map((component) => component['bom-ref'])])
  const dependencies = bill.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => {
      const all = ref === own ? [...dependsOn, ...bundled] : dependsOn
      return { ref, dependsOn: [...new Set(all)].filter((one) => refs.has(one)) }
    })
  return { ...bill, components, dependencies }
}

function main([file]) {
  if (file === undefined) throw new Error('usage: sbom.mjs FILE')
  const manifestOf = (folder) => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const bundled = bundledPackages(path.join(root, 'dist')).map((name) => {
    return `${name}@${manifestOf(path.join(root, 'node_modules', name)).version}`
  })
  const command = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application']
  const bill = JSON.parse(execFileSync('npm', command, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }))
  bill.metadata.component.name = manifestOf(root).name // npm writes the name of the folder
  const shipped = shippedPart(bill, bundled)
  writeFileSync(file, `${JSON.stringify(shipped, null, 2)}\n`)
  console.log(`${shipped.components.length} packages, ${bundled.length} of them in our own files`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2))
