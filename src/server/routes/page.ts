import { hasPermission } from '../../access/permission_mask.ts'
import { membersOf, type Representation } from '../../contract/bodies/bodies.ts'
import { foldName, wordsOfSearch } from '../../contract/name_words.ts'
import type { Cls } from '../../contract/registry.ts'
import type { pageRoutes } from '../../contract/routes/page.ts'
import { findReferences, targetIdOf } from '../../contract/schema/references.ts'
import { isProblem } from '../../core/problem.ts'
import { findPrincipals } from '../../store/auth/principal.ts'
import { findResourceNames, type NamedResource } from '../../store/resource/resource_name.ts'
import { listChildren } from '../../store/resource/resource_search.ts'
import { listAncestors } from '../../store/resource/resource_tree.ts'
import { closeSession, openSession } from '../auth/session.ts'
import { getStatus } from '../http/error_body.ts'
import type { Answer, ApiRequest, Handlers } from '../http/handler.ts'
import { findWebFile } from '../http/web_files.ts'
import { hasCatalog } from '../pages/catalog_frame.ts'
import { layoutHeaders, scriptHeaders } from '../pages/layout.ts'
import { readNext } from '../pages/login_address.ts'
import { type LoginForm, loginPage } from '../pages/login_page.ts'
import { addressesOf, resourcePage } from '../pages/resource_page.ts'
import { describePermissions } from '../resource/permission_mask.ts'
import { represent } from '../resource/representation.ts'
import { notFound } from '../resource/require_permission.ts'

/** Maximum number of children per page. */
const pageLength = 500

/** HTML pages for browsing. */
export const pageHandlers: Handlers<keyof typeof pageRoutes> = {
  'page.home': async ({ context, caller }) => {
    const mask = (await context.permissions.findMasks(caller, [0])).get(0) ?? 0
    if (!caller.isGuest || hasPermission(mask, 'resource.read')) return redirect('/resource/0')
    const note = 'The resources of this server are for signed-in users.'
    return showLogin({ caller, next: '/', note, hasCatalog: hasCatalog(context) })
  },

  'page.resource': async (request) => showResource(request),

  'page.login': async ({ context, caller, query }) =>
    showLogin({ caller, next: readNext(query.next), hasCatalog: hasCatalog(context) }),

  'page.login_submit': async (request) => {
    const { context, caller, body } = request
    const next = readNext(body.next)
    try {
      const { cookie } = await openSession(request, body)
      return redirect(next, { 'set-cookie': cookie })
    } catch (error) {
      if (!isProblem(error) || getStatus(error) >= 500) throw error
      const { login } = body
      return {
        ...showLogin({ caller, next, login, fault: error.message, hasCatalog: hasCatalog(context) }),
        status: getStatus(error),
      }
    }
  },

  'page.logout': async (request) => redirect('/', { 'set-cookie': await closeSession(request) }),
}

function redirect(location: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 303, headers: { ...headers, location, 'cache-control': 'no-store' }, empty: true }
}

function page(html: string, headers = layoutHeaders): Answer {
  return { bytes: Buffer.from(html), mediaType: 'text/html; charset=utf-8', headers }
}

const showLogin = (form: LoginForm) => page(loginPage(form))

async function showResource(request: ApiRequest<'page.resource'>): Promise<Answer> {
  const { context, caller, mask, params, query } = request
  const { database } = context
  const { id } = params
  const { offset = 0, search = '' } = query
  const found = await context.findStored(id)
  if (found === undefined) throw notFound(id)
  const resource = represent(found, mask)
  const { cls, owner_user: owner = { id: 0 } } = resource.resource
  const owners = await findPrincipals(database, [owner.id])
  const all = await findVisible(request, await listChildren(database, id))
  const visible = await findByName(request, all, search)
  const rights = describePermissions(cls as Cls, mask)
  const hasAddresses = addressesOf({ resource, rights }).length > 0
  return page(
    resourcePage({
      caller,
      hasCatalog: hasCatalog(context),
      resource,
      above: await readNames(request, await listAncestors(database, [id])),
      children: await readNames(request, visible.slice(offset, offset + pageLength)),
      childCount: visible.length,
      allCount: all.length,
      offset,
      search,
      uses: await readNames(request, await findVisible(request, listReferenced(resource))),
      owner: owners.get(owner.id)?.keyname ?? String(owner.id),
      rights,
      url: request.url,
      script: hasAddresses ? await findWebFile('service.js', context.log) : undefined,
    }),
    hasAddresses ? scriptHeaders : layoutHeaders,
  )
}

/** Lists the ids of resources that a resource refers to. */
function listReferenced({ resource: { cls }, ...members }: Representation): number[] {
  const schemas = membersOf(cls as Cls)
  const found = Object.entries(members).flatMap(([name, value]) => {
    const schema = schemas[name]
    return schema === undefined ? [] : findReferences(schema, value)
  })
  const ids = found.map(({ target, value }) => (target === 'principal' ? undefined : targetIdOf(value)))
  return [...new Set(ids)].filter((id) => typeof id === 'number')
}

async function findVisible({ context, caller }: ApiRequest, ids: readonly number[]): Promise<number[]> {
  const masks = await context.permissions.findMasks(caller, ids)
  return ids.filter((id) => hasPermission(masks.get(id) ?? 0, 'resource.read'))
}

/** Finds the resources with all words of a search in their names. */
async function findByName(
  request: ApiRequest,
  ids: readonly number[],
  search: string,
): Promise<readonly number[]> {
  const words = wordsOfSearch(search)
  if (words.length === 0) return ids
  const named = await readNames(request, ids)
  return named.flatMap(({ id, displayName }) => {
    const name = foldName(displayName)
    return words.every((word) => name.includes(word)) ? [id] : []
  })
}

async function readNames({ context }: ApiRequest, ids: readonly number[]): Promise<NamedResource[]> {
  const names = await findResourceNames(context.database, ids)
  return ids.flatMap((id) => names.get(id) ?? [])
}
