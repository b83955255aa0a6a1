/** Copies a page elsewhere as index.html with its data, and an index with the pages that it links to. */
import { copyFile, cp, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { findOwnFile } from '../../base/fs/inside_folder.ts'

/** `withData`: also copy the page's data files. Returns the copy's path, absolute. Throws UserError where nothing can be written. */
export async function publishPage(page: string, to: string, withData: boolean): Promise<string> {
  const copy = path.join(path.resolve(to), 'index.html')
  try {
    await copyPage(page, copy, withData)
    for (const name of isPage(page) ? [] : await listLinkedPages(page)) {
      const source = findOwnFile(path.dirname(page), name)
      if (source !== null) await copyPage(source, path.join(path.dirname(copy), name), true)
    }
  } catch (error) {
    throw new UserError(`--static ${to}: ${errorMessage(error)}`, 'choose a folder that you may write to')
  }
  return copy
}

/** True for pages of runs, which have data files; false for an index or a trend. */
function isPage(file: string): boolean {
  return path.basename(file).endsWith('report.html')
}

async function copyPage(page: string, copy: string, withData: boolean): Promise<void> {
  await mkdir(path.dirname(copy), { recursive: true })
  await copyFile(page, copy)
  const data = path.join(path.dirname(page), 'report.data')
  if (!withData || !isPage(page) || !(await pathExists(data))) return
  await cp(data, path.join(path.dirname(copy), 'report.data'), { recursive: true })
}

/** The pages that a Whetstone index links to, without links into their tabs. */
async function listLinkedPages(page: string): Promise<string[]> {
  const text = await readFile(page, 'utf8')
  const addresses = [...text.matchAll(/<a href="([^"#:]+\.html)[#"]/g)].map(([, address = '']) => address)
  return [...new Set(addresses)]
    .map((address) => decodeURIComponent(address))
    .filter((name) => !path.isAbsolute(name) && !name.split(/[\\/]/).includes('..'))
}
