import type { Members } from '../../contract/registry.ts'
import { type GeodbConnectionRow, geodbConnections } from '../../store/classes/geodb_layer.ts'
import { passwordPlace } from '../geodb/connection_pools.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { type Behaviour, idOf, type MemberChange } from './behaviour.ts'
import { checkSecretAddress } from './secret_address.ts'

type Change = MemberChange<'geodb_connection'>
type Given = NonNullable<Members<'geodb_connection'>['geodb_connection']>

/** How to reach databases elsewhere. Passwords are sealed, and never come back; nothing is asked until a layer is. */
export const geodbConnectionBehaviour: Behaviour<'geodb_connection'> = {
  async readMembers(tx, ids) {
    const rows = await geodbConnections.find(tx, ids)
    return new Map([...rows].map(([id, row]) => [id, { geodb_connection: wireConnection(row) }]))
  },
  async create(tx, changes) {
    await geodbConnections.write(tx, new Map(changes.map((change) => [change.id, rowOf(change, emptyRow)])))
  },
  async update(tx, changes) {
    const found = await geodbConnections.find(tx, changes.map(idOf))
    const rows = changes.map((change): [number, GeodbConnectionRow] => {
      const standing = found.get(change.id) ?? emptyRow
      const row = rowOf(change, standing)
      checkSecretAddress('geodb_connection', change.members.geodb_connection ?? {}, {
        standing: addressOf(standing),
        next: addressOf(row),
      })
      return [change.id, row]
    })
    await geodbConnections.write(tx, new Map(rows))
  },
}

function wireConnection({ password: _, ...shown }: GeodbConnectionRow): Given {
  return shown
}

const emptyRow: GeodbConnectionRow = {
  hostname: '',
  port: null,
  database: '',
  username: '',
  password: '',
  sslmode: null,
}

/** The row that a request makes of the standing one. */
function rowOf({ context, id, members }: Change, standing: GeodbConnectionRow): GeodbConnectionRow {
  const { password, ...given } = members.geodb_connection ?? {}
  const row = { ...standing, ...given }
  checkHost(row.hostname)
  checkPort(row.port)
  for (const name of ['database', 'username'] as const) checkStorable(name, row[name])
  if (password === undefined) return row
  checkStorable('password', password)
  return { ...row, password: context.secrets.seal(password, passwordPlace(id)) }
}

/** A path would be a socket of this machine, where the server has rights of its own. */
function checkHost(hostname: string): void {
  if (/^[\p{L}\p{N}._-]+$/u.test(hostname) || /^[0-9a-f:.]+(%\w+)?$/i.test(hostname)) return
  throw invalidAt('/geodb_connection/hostname', `${JSON.stringify(hostname)} is no host name or address`)
}

function checkPort(port: GeodbConnectionRow['port']): void {
  const number = Number(port ?? 5432)
  if (Number.isInteger(number) && number >= 1 && number <= 65_535) return
  throw invalidAt('/geodb_connection/port', `${port} is no port: it lies between 1 and 65535`)
}

/** In the messages of the database, a zero character ends a text. */
function checkStorable(name: string, text: string): void {
  if (text.includes('\0')) throw invalidAt(`/geodb_connection/${name}`, 'holds a zero character')
}

/** Where the password goes; forms of the same address are alike. */
function addressOf({ hostname, port, sslmode }: GeodbConnectionRow) {
  return { hostname, port: Number(port ?? 5432), sslmode: sslmode ?? 'prefer' }
}
