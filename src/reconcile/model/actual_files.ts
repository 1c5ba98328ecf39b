import { filesOf } from '../../contract/registry.ts'
import type { ActualResource } from './actual_tree.ts'
import type { Edit, FileFacts } from './change.ts'

/** A file of a resource on the server. */
export interface ActualFile extends FileFacts {
  readonly name: string
}

/** Reads the files of a resource; undefined if the caller cannot read them. */
export function readFiles({
  cls,
  members,
}: Pick<ActualResource, 'cls' | 'members'>): readonly ActualFile[] | undefined {
  const kind = filesOf(cls)
  const member = members[cls]
  if (kind?.form === 'list') return member?.[kind.field] as readonly ActualFile[] | undefined
  if (member === undefined || !('size' in member)) return undefined
  const { size, digest } = member as { readonly size: number | null; readonly digest?: string | null }
  return size === null ? [] : [{ name: '', size, digest: digest ?? undefined }]
}

/** Counts the files of a resource that the caller can read. */
export function countFiles(resource: Pick<ActualResource, 'cls' | 'members'>): number {
  return readFiles(resource)?.length ?? 0
}

/** Returns the name that a file had before an edit renamed it; undefined for other edits. */
export function renamedFrom({ pointer, from }: Pick<Edit, 'pointer' | 'from'>): string | undefined {
  return pointer.startsWith('/files/') ? (from as FileFacts | undefined)?.name : undefined
}
