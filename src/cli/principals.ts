import type { Api } from '../api/api.ts'
import { catalogEditors } from '../contract/catalog/catalog_edit.ts'
import type { GroupAnswer, UserAnswer } from '../contract/principal.ts'
import { problem } from '../contract/problems.ts'
import { isProblem, Problem } from '../core/problem.ts'
import { findHint } from '../core/suggest.ts'
import type { CommandInput } from './command.ts'
import { connect, findCredentials, type ServerSettings } from './connect.ts'
import { reportPrincipal } from './print/principal.ts'
import type { Terminal } from './terminal.ts'

/** Users and groups of a server. */
export interface Principals {
  readonly users: readonly UserAnswer[]
  readonly groups: readonly GroupAnswer[]
}

/** Reads all users and groups; requires an administrator. */
export async function readPrincipals(api: Api): Promise<Principals> {
  const [users, groups] = await Promise.all([api.call('auth.user_list'), api.call('auth.group_list')])
  return { users, groups }
}

/**
 * Finds a user or group by keyname, ignoring case, or by id.
 *
 * @throws {Problem} principal/not-found with a suggested name
 */
export function findByName<T extends { readonly id: number; readonly keyname: string }>(
  all: readonly T[],
  name: string,
  kind: 'user' | 'group',
): T {
  const found =
    all.find(({ keyname }) => keyname.toLowerCase() === name.toLowerCase()) ??
    all.find(({ id }) => String(id) === name)
  if (found !== undefined) return found
  throw problem('principal/not-found', `Cannot find ${kind} "${name}".`, {
    hint:
      kind === 'group' && name.toLowerCase() === catalogEditors
        ? `Create the group with landform group create ${catalogEditors} --name "Catalog editors".`
        : (findHint(
            name,
            all.map(({ keyname }) => keyname),
          ) ?? `Run landform ${kind} list to see the names.`),
  })
}

/** Deletes users or groups by name or id, after checking that all exist, and reports each deletion. */
export function deletePrincipals(
  kind: 'user' | 'group',
  names: readonly string[],
  { options, terminal }: { readonly options: CommandInput['options']; readonly terminal: Terminal },
): Promise<number> {
  return withServer(options, terminal, async (api) => {
    const all = (await readPrincipals(api))[`${kind}s`]
    const found = names.map((name) => findByName<UserAnswer | GroupAnswer>(all, name, kind))
    for (const { id, keyname } of found) {
      await api.call(`auth.${kind}_delete`, { params: { id } })
      reportPrincipal(terminal, { options, kind, action: 'deleted', id, keyname })
    }
  })
}

/** Replaces the hint of an access error for callers without credentials: log in. */
export async function adviseLogin(
  error: unknown,
  settings: ServerSettings,
  terminal: Terminal,
): Promise<unknown> {
  if (!isProblem(error) || !hidden.includes(error.code)) return error
  if ((await findCredentials(settings, terminal)) !== undefined) return error
  const hint =
    'Log in: set LANDFORM_USER and LANDFORM_PASSWORD, or LANDFORM_TOKEN. On the machine of the server, set --data to its data directory to use the generated password.'
  const isLayer = error.code === 'pipeline/no-layer'
  return isLayer
    ? problem('access/denied', error.message, { hint })
    : new Problem(error.code, error.message, { ...error, hint })
}

/** Codes that guests may get for existing resources. */
const hidden = ['access/denied', 'resource/not-found', 'pipeline/no-layer']

/** Runs an action with an API client, and closes the client. */
export async function withServer(
  options: Readonly<Record<string, unknown>>,
  terminal: Terminal,
  work: (api: Api) => Promise<void>,
): Promise<number> {
  const settings = options as ServerSettings
  const api = await connect(settings, terminal)
  try {
    await work(api)
    return 0
  } catch (error) {
    throw await adviseLogin(error, settings, terminal)
  } finally {
    await api.close()
  }
}
