import type { Capabilities } from '../../../contract/classes/wmsclient_connection.ts'
import type { Credentials } from '../../../http/authorize.ts'
import { fetchCapabilities } from '../../../ogc/wms_client.ts'
import { type MemberRow, memberTable } from '../../../store/classes/member_table.ts'
import type { ServerContext } from '../../context.ts'
import { invalidAt } from '../../http/invalid_request.ts'
import type { MemberChange, Preparation, Prepared } from '../behaviour.ts'
import { defaultRow, type Given as GivenOf, givenOf, rowBehaviour } from '../row.ts'
import { checkSecretAddress } from '../secret_address.ts'

type Change = MemberChange<'wmsclient_connection'>
type Row = MemberRow<'wmsclient_connection'>
type Given = GivenOf<'wmsclient_connection'>

/** Capabilities fetched before the transaction of a request. */
interface FetchedCapabilities extends Prepared {
  readonly capabilities: Capabilities
}

/** Connections to web map services. Passwords are encrypted and never returned. */
export const wmsclientConnectionBehaviour = rowBehaviour({
  cls: 'wmsclient_connection',
  prepare: fetchPrepared,
  change: rowOf,
})

/** Fetches the capabilities of the service if the request has `capcache: query`. */
async function fetchPrepared(
  preparation: Preparation<'wmsclient_connection'>,
): Promise<FetchedCapabilities | undefined> {
  const { context, id, members, signal } = preparation
  const given = givenOf('wmsclient_connection', members)
  if (given.capcache !== 'query') return undefined
  const current =
    id === undefined
      ? undefined
      : (await memberTable('wmsclient_connection').find(context.database, [id])).get(id)
  const { url, username, version } = {
    ...defaultRow('wmsclient_connection'),
    ...current,
    ...definedOf(given),
  }
  checkUrl(url)
  if (current !== undefined) checkDestination(given, current)
  const password = given.password === undefined ? openPassword(context, id, current) : given.password
  const credentials = username === null ? undefined : { login: username, password: password ?? '' }
  const { allowPrivateAddresses: allowPrivate } = context
  const capabilities = await fetchCapabilities({ url, version, credentials, allowPrivate, signal })
  return { capabilities, discard: async () => undefined }
}

// The table's first name: stored passwords are encrypted for it.
const placeOf = (id: number) => `wms_connection.password:${id}`

/** Returns the credentials of a connection for its service; undefined without a user name. */
export function credentialsOf(
  context: Pick<ServerContext, 'secrets'>,
  id: number,
  row: Row,
): Credentials | undefined {
  if (row.username === null) return undefined
  return { login: row.username, password: openPassword(context, id, row) ?? '' }
}

function openPassword(
  { secrets }: Pick<ServerContext, 'secrets'>,
  id: number | undefined,
  current: Row | undefined,
): string | null {
  if (id === undefined || current === undefined || current.password === null) return null
  return secrets.open(current.password, placeOf(id))
}

/** Applies a request to the current row. */
function rowOf({ context, id, members, prepared }: Change, current: Row): Row {
  const given = givenOf('wmsclient_connection', members)
  const { url, username, version } = { ...current, ...definedOf(given) }
  checkUrl(url)
  checkDestination(given, current)
  const password = sealPassword(context, given.password, id)
  const row = { url, username, version, password: password === undefined ? current.password : password }
  if (row.password !== null && username === null)
    throw invalidAt('/wmsclient_connection/username', 'a password requires a username')
  const capabilities = (prepared as FetchedCapabilities | undefined)?.capabilities
  if (capabilities !== undefined) return { ...row, capcache: capabilities }
  const isOther = url !== current.url || version !== current.version
  return { ...row, capcache: given.capcache === 'clear' || isOther ? null : current.capcache }
}

function definedOf({ url, username, version }: Given) {
  return {
    ...(url === undefined ? {} : { url }),
    ...(username === undefined ? {} : { username }),
    ...(version === undefined ? {} : { version }),
  }
}

function sealPassword({ secrets }: ServerContext, password: string | null | undefined, id: number) {
  return typeof password === 'string' ? secrets.seal(password, placeOf(id)) : password
}

function checkUrl(text: string): void {
  const place = '/wmsclient_connection/url'
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw invalidAt(place, 'the URL is not an HTTP URL')
  if (url.username !== '' || url.password !== '')
    throw invalidAt(place, 'the URL contains credentials', 'Set username and password instead.')
}

function checkDestination(given: Given, current: Row): void {
  if (current.password === null) return
  const addressOf = (url: string) => ({ url: URL.parse(url)?.href })
  const next = addressOf(given.url ?? current.url)
  checkSecretAddress('wmsclient_connection', given, { current: addressOf(current.url), next })
}
