import type { MemberRow } from '../../../store/classes/member_table.ts'
import { passwordPlace } from '../../geodb/connection_pools.ts'
import { invalidAt } from '../../http/invalid_request.ts'
import type { MemberChange } from '../behaviour.ts'
import { givenOf, rowBehaviour } from '../row.ts'
import { checkSecretAddress } from '../secret_address.ts'

type Row = MemberRow<'geodb_connection'>

/** Connections to external databases. Passwords are encrypted and never returned. Writing one does not connect. */
export const geodbConnectionBehaviour = rowBehaviour({ cls: 'geodb_connection', change: changeConnection })

function changeConnection({ context, id, members }: MemberChange<'geodb_connection'>, stored: Row): Row {
  const given = givenOf('geodb_connection', members)
  const { password, ...shown } = given
  const row = { ...stored, ...shown }
  checkHost(row.hostname)
  checkPort(row.port)
  for (const name of ['database', 'username'] as const) checkStorable(name, row[name])
  checkSecretAddress('geodb_connection', given, { current: addressOf(stored), next: addressOf(row) })
  if (password === undefined) return row
  checkStorable('password', password)
  return { ...row, password: context.secrets.seal(password, passwordPlace(id)) }
}

/** Rejects paths: they name local sockets, where the server has permissions that the caller does not have. */
function checkHost(hostname: string): void {
  if (/^[\p{L}\p{N}._-]+$/u.test(hostname) || /^[0-9a-f:.]+(%\w+)?$/i.test(hostname)) return
  throw invalidAt('/geodb_connection/hostname', `${JSON.stringify(hostname)} is not a host name or address`)
}

function checkPort(port: Row['port']): void {
  const number = Number(port ?? 5432)
  if (Number.isInteger(number) && number >= 1 && number <= 65_535) return
  throw invalidAt('/geodb_connection/port', `${port} is not a port between 1 and 65535`)
}

/** Rejects NUL characters, which end a string in the protocol of the database. */
function checkStorable(name: string, text: string): void {
  if (text.includes('\0')) throw invalidAt(`/geodb_connection/${name}`, 'has a NUL character')
}

/** Returns the normalised address that the password is sent to. */
function addressOf({ hostname, port, sslmode }: Row) {
  return { hostname, port: Number(port ?? 5432), sslmode: sslmode ?? 'prefer' }
}
