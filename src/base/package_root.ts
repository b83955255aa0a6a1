/** Where Whetstone itself is installed. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The nearest folder above this file with a package.json: the same from the source tree and from the build. */
export function packageRoot(): string {
  let folder = import.meta.dirname
  while (!existsSync(path.join(folder, 'package.json')) && path.dirname(folder) !== folder)
    folder = path.dirname(folder)
  return folder
}

export interface PackageInfo {
  name: string
  version: string
  homepage: string
}

/** Name, version and home page of Whetstone itself. */
export function readOwnPackage(): PackageInfo {
  return JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8'))
}
