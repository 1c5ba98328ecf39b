import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import type { Api } from '../../api/api.ts'
import type { Representation } from '../../contract/bodies/bodies.ts'
import { problem } from '../../contract/problems.ts'
import { dataOf, isAllowedParent, isCls } from '../../contract/registry.ts'
import type { NewLayer } from '../../pipeline/load_file.ts'
import type { CommandInput } from '../command.ts'
import type { Terminal } from '../terminal.ts'

/**
 * Checks that the options can be combined.
 *
 * @throws {Problem} usage/bad-argument
 */
export function checkOptions(
  files: readonly string[],
  { parent, into, name, keyname, syncKey }: CommandInput['options'],
): void {
  const refuse = (message: string, hint: string) => problem('usage/bad-argument', message, { hint })
  if ((parent === undefined) === (into === undefined))
    throw refuse('Either a group for new layers or a layer is required.', 'Use either --parent or --into.')
  if (into === undefined && syncKey !== undefined)
    throw refuse('--sync-key requires a layer.', 'Use it with --into.')
  if (into !== undefined && files.length > 1)
    throw refuse(`Cannot load ${files.length} files into one layer.`, 'Pass a single file with --into.')
  if (into !== undefined && (name !== undefined || keyname !== undefined))
    throw refuse('--name and --keyname cannot be combined with --into.', 'Omit --name and --keyname.')
  if (files.length > 1 && (name !== undefined || keyname !== undefined))
    throw refuse(`${files.length} layers cannot have the same name.`, 'Omit --name and --keyname.')
}

/**
 * Checks that a file exists, before the first file is loaded.
 *
 * @throws {Problem} file/not-found, file/unreadable
 */
export async function checkFile(path: string, { cwd }: Pick<Terminal, 'cwd'>): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  const shown = relative(cwd, path) || '.'
  if (found === undefined) throw problem('file/not-found', `File "${shown}" not found.`)
  if (found.isDirectory())
    throw problem('file/unreadable', `"${shown}" is a directory.`, {
      hint: 'Pass a file, or a ZIP archive of the directory.',
    })
}

/**
 * Rejects a layer whose name or keyname is not unique, before the upload, which may take long.
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
  const hint = 'Replace its data with --into '
  if (sibling !== undefined)
    throw problem('resource/name-taken', `The group already has a resource "${displayName}".`, {
      hint: `${hint}${sibling.resource.keyname ?? sibling.resource.id}. Otherwise choose another --name.`,
    })
  const [keyed] = keyname === undefined ? [] : await search('keyname', keyname)
  if (keyed !== undefined)
    throw problem(
      'resource/key-taken',
      `The keyname "${keyname}" belongs to "${keyed.resource.display_name}".`,
      {
        hint: `${hint}${keyname}. Otherwise choose another --keyname.`,
      },
    )
}

/**
 * Rejects a parent of a wrong class, or without the required permission, before the upload.
 *
 * @throws {Problem} resource/hierarchy, access/denied
 */
export async function refuseParent(
  api: Api,
  { resource: { id = 0, cls, display_name } }: Representation,
  signal: AbortSignal,
): Promise<void> {
  if (!isCls(cls) || !isAllowedParent('vector_layer', cls))
    throw problem('resource/hierarchy', `"${display_name}" is a ${cls}, which cannot have child layers.`, {
      hint: 'Choose a group, or replace the data of a layer with --into.',
      resource: id,
    })
  await refuseUnpermitted(api, { id, scope: 'resource', permission: 'manage_children' }, signal)
}

/** Required permission on a resource. */
export interface Need {
  readonly id: number
  readonly scope: string
  readonly permission: string
}

/**
 * Rejects an operation without the required permission, before the upload.
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
 * Rejects a layer that cannot be loaded from a file.
 *
 * @throws {Problem} usage/bad-argument
 */
export function refuseForeign({ resource }: Representation): void {
  if (dataOf(resource.cls)?.content === 'features') return
  throw problem(
    'usage/bad-argument',
    `"${resource.display_name}" is a ${resource.cls}: its features are in an external database.`,
    { hint: 'Load the data into that database.', resource: resource.id },
  )
}
