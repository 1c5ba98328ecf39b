import { type Terminal, writeLine } from '../terminal.ts'
import { writeEvent } from './events.ts'

/** What was done to a user or a group. */
export interface PrincipalDone {
  readonly options: Readonly<Record<string, unknown>>
  readonly kind: 'user' | 'group'
  readonly action: 'created' | 'updated' | 'deleted'
  readonly id: number
  readonly keyname: string
}

/** Tells what was done: a line, or with `--json` an event. */
export function tellPrincipal(
  { out }: Terminal,
  { options, kind, action, id, keyname }: PrincipalDone,
): void {
  if (options.json) writeEvent(out, kind, { action, [kind]: { id, keyname } })
  else writeLine(out, `${action} ${kind} ${keyname} (id = ${id})`)
}
