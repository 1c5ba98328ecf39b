import type { EndedAccess } from '../../contract/principal.ts'
import { countOf } from '../../core/count.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { writeEvent } from './events.ts'

/** Completed change of a user or a group. */
export interface PrincipalDone {
  readonly options: Readonly<Record<string, unknown>>
  readonly kind: 'user' | 'group'
  readonly action: 'created' | 'updated' | 'deleted'
  readonly id: number
  readonly keyname: string
  /** Sessions and tokens of the user that a password change has ended. */
  readonly ended?: EndedAccess
}

/** Reports a completed change: a line, or with `--json` an event. */
export function reportPrincipal(
  { out, err }: Terminal,
  { options, kind, action, id, keyname, ended = {} }: PrincipalDone,
): void {
  const { ended_sessions, revoked_tokens } = ended
  if (options.json) {
    writeEvent(out, kind, { action, [kind]: { id, keyname }, ended_sessions, revoked_tokens })
    return
  }
  writeLine(out, `${action} ${kind} ${keyname} (id = ${id})`)
  if (ended_sessions === undefined || revoked_tokens === undefined) return
  writeLine(err, `ended ${countOf(ended_sessions, 'session')}, revoked ${countOf(revoked_tokens, 'token')}`)
}
