import { filesOf } from '../../contract/registry.ts'
import type { WrittenBlock } from '../../manifest/rewrite.ts'
import { readFiles } from '../model/actual_files.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import { type FilePlace, folderOf, isPlain, type PulledFile } from './pulled_file.ts'

/** Files of a resource in its block, and what to write beside the manifest. */
export interface WrittenFiles {
  readonly block: WrittenBlock
  readonly files: readonly PulledFile[]
}

/** Writes the files of a bucket as `files:`, and that of a form as `file:`. */
export function writeFiles(resource: ActualResource, place: FilePlace): WrittenFiles {
  const { id, cls } = resource
  const there = readFiles(resource) ?? []
  if (there.length === 0) return { block: {}, files: [] }
  if (filesOf(cls)?.form === 'one') {
    const path = `${folderOf(id, place)}.ngfp`
    return { block: { file: path }, files: [{ kind: 'form', id, path }] }
  }
  const paths = nameFiles(
    there.map(({ name }) => name),
    folderOf(id, place),
  )
  const entries = there.map(({ name, mime_type: type }) => {
    const path = paths.get(name) ?? ''
    return {
      path,
      ...(path.split('/').at(-1) === name ? {} : { name }),
      ...(type === undefined ? {} : { mime_type: type }),
    }
  })
  const files = [...paths].map(([name, path]) => ({ kind: 'file', id, name, path }) as const)
  return { block: { files: entries }, files }
}

/** Names files on disk as on the server, and those that are not file names on every system by number. */
export function nameFiles(names: readonly string[], folder: string): Map<string, string> {
  const taken = new Set<string>()
  const folders = new Set(names.flatMap((name) => listFolders(name.toLowerCase())))
  const paths = new Map<string, string>()
  const isFree = (name: string) =>
    ![...listFolders(name), name].some((one) => taken.has(one)) && !folders.has(name)
  for (const name of names) {
    let shown = name.split('/').every(isPlain) && isFree(name.toLowerCase()) ? name : undefined
    for (let number = 1; shown === undefined; number += 1)
      if (isFree(`file_${number}`)) shown = `file_${number}`
    taken.add(shown.toLowerCase())
    paths.set(name, `${folder}/${shown}`)
  }
  return paths
}

function listFolders(name: string): string[] {
  const parts = name.split('/')
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
}
