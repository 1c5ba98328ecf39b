import type { Capabilities } from '../../contract/classes/wmsclient_connection.ts'
import type { Members } from '../../contract/registry.ts'
import { fetchCapabilities } from '../../ogc/wms_client.ts'
import { type WmsConnectionRow, wmsConnections } from '../../store/classes/wms.ts'
import type { ServerContext } from '../context.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { type Behaviour, idOf, type MemberChange, type Preparation, type Prepared } from './behaviour.ts'
import { checkSecretAddress } from './secret_address.ts'

type Change = MemberChange<'wmsclient_connection'>
type Given = NonNullable<Members<'wmsclient_connection'>['wmsclient_connection']>

/** What a service said of itself, before the transaction of a request. */
interface Asked extends Prepared {
  readonly capabilities: Capabilities
}

/** How to reach web map services. Passwords are sealed, and never come back. */
export const wmsclientConnectionBehaviour: Behaviour<'wmsclient_connection'> = {
  async readMembers(tx, ids) {
    const rows = await wmsConnections.find(tx, ids)
    return new Map([...rows].map(([id, row]) => [id, { wmsclient_connection: wireConnection(row) }]))
  },
  prepare: ask,
  async create(tx, changes) {
    await wmsConnections.write(tx, new Map(changes.map((change) => [change.id, rowOf(change, undefined)])))
  },
  async update(tx, changes) {
    const standing = await wmsConnections.find(tx, changes.map(idOf))
    await wmsConnections.write(
      tx,
      new Map(changes.map((change) => [change.id, rowOf(change, standing.get(change.id))])),
    )
  },
}

/** A password that there is stays away; that there is none may be known. */
function wireConnection({ url, username, password, version, capabilities }: WmsConnectionRow): Given {
  return { url, username, ...(password === null ? { password } : {}), version, capcache: capabilities }
}

/** Asks the service, where the request wants that. */
async function ask(preparation: Preparation<'wmsclient_connection'>): Promise<Asked | undefined> {
  const { context, id, members, signal } = preparation
  const given = members.wmsclient_connection ?? {}
  if (given.capcache !== 'query') return undefined
  const standing = id === undefined ? undefined : (await wmsConnections.find(context.database, [id])).get(id)
  const { url, username, version } = { ...emptyRow, ...standing, ...definedOf(given) }
  checkUrl(url)
  if (standing !== undefined) checkDestination(given, standing)
  const password = given.password === undefined ? openPassword(context, id, standing) : given.password
  const credentials = username === null ? undefined : { login: username, password: password ?? '' }
  const { allowPrivateAddresses: allowPrivate } = context
  const capabilities = await fetchCapabilities({ url, version, credentials, allowPrivate, signal })
  return { capabilities, discard: async () => undefined }
}

const emptyRow: WmsConnectionRow = {
  url: '',
  username: null,
  password: null,
  version: '1.3.0',
  capabilities: null,
}

const placeOf = (id: number) => `wms_connection.password:${id}`

function openPassword(
  { secrets }: ServerContext,
  id: number | undefined,
  standing: WmsConnectionRow | undefined,
): string | null {
  if (id === undefined || standing === undefined || standing.password === null) return null
  return secrets.open(standing.password, placeOf(id))
}

/** The row that a request makes of the standing one. */
function rowOf({ context, id, members, prepared }: Change, standing = emptyRow): WmsConnectionRow {
  const given = members.wmsclient_connection ?? {}
  const { url, username, version } = { ...standing, ...definedOf(given) }
  checkUrl(url)
  checkDestination(given, standing)
  const password = sealPassword(context, given.password, id)
  const row = { url, username, version, password: password === undefined ? standing.password : password }
  if (row.password !== null && username === null)
    throw invalidAt('/wmsclient_connection/username', 'a password needs a username')
  const isAsked = (prepared as Asked | undefined)?.capabilities !== undefined
  if (isAsked) return { ...row, capabilities: (prepared as Asked).capabilities }
  const isOther = url !== standing.url || version !== standing.version
  return { ...row, capabilities: given.capcache === 'clear' || isOther ? null : standing.capabilities }
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
    throw invalidAt(place, 'the address is no http address')
  if (url.username !== '' || url.password !== '')
    throw invalidAt(place, 'the address carries a login', 'give username and password by themselves')
}

function checkDestination(given: Given, standing: WmsConnectionRow): void {
  if (standing.password === null) return
  const addressOf = (url: string) => ({ url: URL.parse(url)?.href })
  const next = addressOf(given.url ?? standing.url)
  checkSecretAddress('wmsclient_connection', given, { standing: addressOf(standing.url), next })
}
