// Bundles the page's program and style into one file each: what report.html carries inside; and the licences of the packages in them.
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeLicences } from './bundle.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** Writes page.js, page.css and LICENSES.txt into `folder`. Nothing in them can close the HTML element that contains them. */
export async function buildViewer(folder) {
  const shared = { bundle: true, minify: true, legalComments: 'none', charset: 'ascii', logLevel: 'warning' }
  const { metafile } = await build({
    ...shared,
    metafile: true,
    entryPoints: [path.join(root, 'viewer/main.tsx')],
    outfile: path.join(folder, 'page.js'),
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  writeLicences(Object.keys(metafile.inputs), folder)
  await build({
    ...shared,
    entryPoints: [path.join(root, 'viewer/style/page.css')],
    outfile: path.join(folder, 'page.css'),
  })
}
