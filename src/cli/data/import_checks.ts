import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import type { Api } from '../../api/api.ts'
import type { Representation } from '../../contract/bodies.ts'
import { problem } from '../../contract/problems.ts'
import { dataOf, isAllowedParent, isCls } from '../../contract/registry.ts'
import type { NewLayer } from '../../pipeline/load_file.ts'
import type { CommandInput } from '../command.ts'
import type { Terminal } from '../terminal.ts'

/**
 * Checks that the options go together.
 *
 * @throws {Problem} usage/bad-argument
 */
export function checkOptions(
  files: readonly string[],
  { parent, into, name, keyname }: CommandInput['options'],
): void {
  const refuse = (message: string, hint: string) => problem('usage/bad-argument', message, { hint })
  if ((parent === undefined) === (into === undefined))
    throw refuse(
      'A file becomes a new layer in a group, or the data of a layer.',
      'Give --parent or --into, one of them.',
    )
  if (into !== undefined && files.length > 1)
    throw refuse(`One file becomes the data of a layer, not ${files.length}.`, 'Name one.')
  if (into !== undefined && (name !== undefined || keyname !== undefined))
    throw refuse('The layer has a name already.', 'Leave --name and --keyname out.')
  if (files.length > 1 && (name !== undefined || keyname !== undefined))
    throw refuse(`${files.length} layers cannot have one name.`, 'Leave --name and --keyname out.')
}

/**
 * Checks that there is a file: one that is missing is told before the first of them is loaded.
 *
 * @throws {Problem} file/not-found, file/unreadable
 */
export async function checkFile(path: string, { cwd }: Pick<Terminal, 'cwd'>): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  const shown = relative(cwd, path) || '.'
  if (found === undefined) throw problem('file/not-found', `There is no file "${shown}".`)
  if (found.isDirectory())
    throw problem('file/unreadable', `"${shown}" is a folder.`, {
      hint: 'Name a file, or pack it as a .zip.',
    })
}

/**
 * Refuses a layer whose name or keyname is taken. The server does too, but only when the file is there, which may take
 * long.
 *
 * @throws {Problem} resource/name-taken, resource/key-taken
 */
export async function refuseTaken(
  api: Api,
  { parent, displayName, keyname }: NewLayer,
  signal: AbortSignal,
): Promise<void> {
  const search = async (name: string, value: string) => {
    const query = { serialization: 'full' }
    const found = await api.call('resource.search', {
      query,
      more: [[name, value]],
      signal,
    })
    return found as unknown as Representation[]
  }
  const named = await search('display_name', displayName)
  const sibling = named.find(({ resource }) => resource.parent?.id === parent)
  const hint = 'To replace its data: --into '
  if (sibling !== undefined)
    throw problem('resource/name-taken', `There is a "${displayName}" in that group already.`, {
      hint: `${hint}${sibling.resource.keyname ?? sibling.resource.id}. Else choose another --name.`,
    })
  const [keyed] = keyname === undefined ? [] : await search('keyname', keyname)
  if (keyed !== undefined)
    throw problem(
      'resource/key-taken',
      `The keyname "${keyname}" belongs to "${keyed.resource.display_name}".`,
      {
        hint: `${hint}${keyname}. Else choose another --keyname.`,
      },
    )
}

/**
 * Refuses what holds no layers, and what this account may not put one into. The server does too, when the file is there.
 *
 * @throws {Problem} resource/hierarchy, access/denied
 */
export async function refuseParent(
  api: Api,
  { resource: { id = 0, cls, display_name } }: Representation,
  signal: AbortSignal,
): Promise<void> {
  if (!isCls(cls) || !isAllowedParent('vector_layer', cls))
    throw problem('resource/hierarchy', `"${display_name}" is a ${cls}, which holds no layers.`, {
      hint: 'Name a group, or replace the data of a layer with --into.',
      resource: id,
    })
  await refuseUnpermitted(api, { id, scope: 'resource', permission: 'manage_children' }, signal)
}

/** What it takes to do something with a resource. */
export interface Need {
  readonly id: number
  readonly scope: string
  readonly permission: string
}

/**
 * Refuses what the server says it would refuse.
 *
 * @throws {Problem} access/denied
 */
export async function refuseUnpermitted(
  api: Api,
  { id, scope, permission }: Need,
  signal: AbortSignal,
): Promise<void> {
  const allowed = await api.call('resource.permission', { params: { id }, signal })
  if (allowed[scope]?.[permission] !== false) return
  throw problem(
    'access/denied',
    `Insufficient '${permission}' permission in scope '${scope}' on resource id = ${id}.`,
    { resource: id },
  )
}

/**
 * Refuses a layer that takes no file.
 *
 * @throws {Problem} usage/bad-argument
 */
export function refuseForeign({ resource }: Representation): void {
  if (dataOf(resource.cls)?.content === 'features') return
  throw problem(
    'usage/bad-argument',
    `"${resource.display_name}" is a ${resource.cls}: its features stand in another database.`,
    { hint: 'Load them there.', resource: resource.id },
  )
}
